import { readdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { removeRests, removeUnused } from '../../sandbox/worktrees/remove.ts';
import { treesFolder } from '../task-tree.ts';
import { type OpenBatch, readBatch } from './batch-store.ts';

const NAME = /^(\d{8}-\d{4}-[0-9a-f]{4})-(.+)$/;

/**
 * Removes worktrees that killed processes left behind and that no batch needs: those of tasks with a result, unless
 * something in them is kept nowhere else. Returns what the user should know about others.
 */
export async function removeLeftoverTrees(batch: OpenBatch, env: NodeJS.ProcessEnv): Promise<string[]> {
  const { tasks, description } = batch.state;
  const { trees } = description;
  const place = { env, ...(trees !== undefined && { trees }) };
  const folders = new Set(tasks.map(({ source }) => treesFolder(source, place)));
  const notes: string[] = [];
  for (const folder of folders) {
    await removeRests(folder);
    for (const name of unlessErrno(['ENOENT', 'ENOTDIR'], [], () => readdirSync(folder))) {
      const [, id = '', task = ''] = NAME.exec(name) ?? [];
      if (id === '') continue;
      const at = path.join(folder, name);
      const results = id === description.id ? batch.state.results : readBatch(batch.root, id)?.results;
      if (!results)
        notes.push(`${at} is left over from a batch that is not known here. Delete it if you don't need it.`);
      else if (results.has(task) && results.get(task)?.worktree === undefined) await removeUnused(at);
    }
  }
  return notes;
}
