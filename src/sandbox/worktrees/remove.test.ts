import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { changedNames, put, repository } from '../../../test/support/repositories.ts';
import { bundled } from '../../../test/support/run-together.ts';
import { createWorktree } from './create.ts';
import { removeLeftovers } from './remove.ts';
import { claimWorktree } from './worktree.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit || process.platform === 'win32')('worktrees left behind', () => {
  test('by a killed process are removed if they hold no changes, and otherwise listed', async () => {
    const { base, root, env } = await repository({ 'a.txt': 'one\n' });
    const trees = path.join(base, 'trees');
    const script = await bundled('leave-worktree.ts', base);
    const left = (name: string, file: string) =>
      spawnSync(process.execPath, [script, root, path.join(trees, name), file], { env, encoding: 'utf8' });
    expect(left('clean', '')).toMatchObject({ signal: 'SIGKILL' });
    expect(left('changed', 'new.txt')).toMatchObject({ signal: 'SIGKILL' });
    const own = await createWorktree({ repository: root, at: path.join(trees, 'own'), env });
    put(trees, { 'foreign/x.txt': 'not ours' });

    expect(await claimWorktree(own.at, env)).toBeNull();
    const changed = { at: path.join(trees, 'changed'), folder: path.join(trees, 'changed', 'tree') };
    for (const removed of [[path.join(trees, 'clean')], []])
      expect(await removeLeftovers(trees, env)).toEqual({ removed, kept: [changed] });
    expect(readdirSync(trees).sort()).toEqual(['changed', 'foreign', 'own']);

    const claimed = await claimWorktree(changed.at, env);
    expect(claimed && (await changedNames(claimed))).toEqual({ files: ['new.txt'], leftOut: [] });
  });
});
