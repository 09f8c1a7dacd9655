import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { tryLock } from '../../lib/files/lock.ts';
import { removeWorktree } from '../../sandbox/worktrees/remove.ts';
import { placesIn } from '../../sandbox/worktrees/worktree.ts';
import { treesFolder } from '../task-tree.ts';
import { type OpenBatch, readBatch } from './batch-store.ts';

const NAME = /^(\d{8}-\d{4}-[0-9a-f]{4})-(.+)$/;

/**
 * Removes worktrees that killed processes left behind and that no batch needs: those of tasks with a result.
 * Returns what the user should know about others.
 */
export function removeLeftoverTrees(batch: OpenBatch, env: NodeJS.ProcessEnv): string[] {
  const { tasks, description } = batch.state;
  const { trees } = description;
  const place = { env, ...(trees !== undefined && { trees }) };
  const folders = new Set(tasks.map(({ source }) => treesFolder(source, place)));
  return [...folders].flatMap((folder) =>
    unlessErrno(['ENOENT', 'ENOTDIR'], [], () => readdirSync(folder)).flatMap((name) => {
      const [, id = '', task = ''] = NAME.exec(name) ?? [];
      if (id === '') return [];
      const at = path.join(folder, name);
      const results = id === description.id ? batch.state.results : readBatch(batch.root, id)?.results;
      if (!results) return [`${at} is left of a batch that was deleted. Delete it if you don't need it.`];
      if (results.has(task)) removeUnused(at);
      return [];
    }),
  );
}

/** Unless another process is working in it. */
function removeUnused(at: string): void {
  const lock = existsSync(at) ? tryLock(placesIn(at).owner) : null;
  if (lock) unlessErrno('any', null, () => removeWorktree({ at, lock }));
}
