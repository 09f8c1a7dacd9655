import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { changedNames, contentOf, put, repository } from '../../../test/support/repositories.ts';
import { bundled, runTogether } from '../../../test/support/run-together.ts';
import { rounds, soak, sweep } from '../../../test/support/soak.ts';
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

  sweep(['gone', 'step 0, step 2, step 4, step 8, step 16, step 32'])(
    'by a removal that was killed (%s) are whole or out of the way, and removed next',
    async (moments) => {
      const { base, root, env, git, make } = await repository({ 'a.txt': 'one\n', 'b/c.txt': 'two\n' });
      const trees = path.join(base, 'trees');
      const script = await bundled('remove-worktree.ts', base);
      for (const moment of moments.split(', ')) {
        const { at, lock } = await make();
        lock.release();
        const { signal, stderr } = spawnSync(process.execPath, [script, at, moment], {
          env,
          encoding: 'utf8',
        });
        expect(stderr).toBe('');
        if (moment === 'gone')
          expect([signal, readdirSync(trees)]).toEqual(['SIGKILL', ['.aca-removed-one']]);

        const claimed = await claimWorktree(at, env);
        if (claimed) expect(contentOf(claimed.folder)).toEqual(contentOf(root));
        else expect(existsSync(at)).toBe(false);
        claimed?.lock.release();
        await removeLeftovers(trees, env);
        expect(readdirSync(trees)).toEqual([]);
      }
      expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    },
  );

  test('two processes make and remove the same one, and neither loses files to the other', soak, async () => {
    const names = Array.from({ length: 40 }, (_, i) => `${i % 4}/${i}.txt`);
    const { base, root } = await repository(Object.fromEntries(names.map((name) => [name, name])));
    const at = path.join(base, 'trees', 'one');
    const args = [root, at, String(rounds(5, 50)), names.join()];
    const outputs = await runTogether('share-worktree.ts', { folder: base, each: [args, args] });
    expect(outputs).toEqual(['', '']);
    expect(readdirSync(path.dirname(at))).toEqual([]);
  });
});
