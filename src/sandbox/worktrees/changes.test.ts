import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentOf, put, repository } from '../../../test/support/repositories.ts';
import { rounds, sweep } from '../../../test/support/soak.ts';
import { changesOf, commitChanges, writePatch } from './changes.ts';
import { createWorktree } from './create.ts';
import { removeWorktree } from './remove.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit || process.platform === 'win32')('the changes of a worktree', () => {
  const name = fc.constantFrom(
    'a.txt',
    'b.txt',
    'd/e.txt',
    'd/f/g.bin',
    'ü n/日本.txt',
    '-x',
    'new/deep/er.txt',
  );
  const step = fc.oneof(
    fc.record({ type: fc.constant('write' as const), name, bytes: fc.uint8Array({ maxLength: 40 }) }),
    fc.record({ type: fc.constant('remove' as const), name }),
    fc.record({ type: fc.constant('mode' as const), name }),
    fc.record({ type: fc.constant('link' as const), name, to: fc.constantFrom('a.txt', '/etc', '../..') }),
  );

  function apply(
    root: string,
    steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[],
  ): void {
    for (const one of steps) {
      const file = path.join(root, one.name);
      const stat = lstatSync(file, { throwIfNoEntry: false });
      mkdirSync(path.dirname(file), { recursive: true });
      if (one.type === 'write') {
        if (stat?.isSymbolicLink()) rmSync(file);
        writeFileSync(file, one.bytes);
      } else if (one.type === 'mode') {
        if (stat?.isFile()) chmodSync(file, 0o755);
      } else {
        rmSync(file, { force: true });
        if (one.type === 'link') symlinkSync(one.to, file);
      }
    }
  }

  sweep([2, rounds(8, 25)])(
    'as a patch and as a branch, they give the same files elsewhere (%i runs)',
    async (runs) => {
      const files = {
        'a.txt': 'one\n',
        'b.txt': 'caf\xe9\n',
        'd/e.txt': 'x\r\n',
        'd/f/g.bin': Buffer.from([0, 1, 2]),
      };
      const { base, root, env, git } = await repository(files);
      let run = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 8 }),
          fc.array(step, { maxLength: 4 }),
          async (steps, dirty) => {
            run += 1;
            apply(root, dirty);
            const before = contentOf(root);
            const tree = await createWorktree({
              repository: root,
              at: path.join(base, `t${run}`),
              env,
              uncommitted: true,
            });
            expect(contentOf(tree.folder)).toEqual(before);
            apply(tree.folder, steps);
            const changes = await changesOf(tree);
            const patch = path.join(base, `p${run}`);
            await writePatch(tree, changes, patch);
            const copy = path.join(base, `c${run}`);
            cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
            if (readFileSync(patch).length > 0) git('-C', copy, 'apply', '--whitespace=nowarn', patch);
            expect(contentOf(copy)).toEqual(contentOf(tree.folder));
            await commitChanges(tree, changes, { branch: `run/${run}`, message: 'work' });
            git('worktree', 'add', '-q', path.join(base, `w${run}`), `run/${run}`);
            expect(contentOf(path.join(base, `w${run}`))).toEqual(contentOf(tree.folder));
            expect(contentOf(root)).toEqual(before);
            removeWorktree(tree);
          },
        ),
        { numRuns: runs },
      );
      git('fsck', '--strict');
    },
  );

  test('go onto a branch without touching index, files or the current branch', async () => {
    const { root, make, git } = await repository({ 'a.txt': 'one\n' });
    put(root, { 'a.txt': 'mine\n' });
    git('config', 'commit.gpgSign', 'true');
    const tree = await make();
    put(tree.folder, { 'a.txt': 'two\n' });
    const changes = await changesOf(tree);
    const index = readFileSync(path.join(root, '.git/index'));
    const commit = await commitChanges(tree, changes, { branch: 'aca/x', message: 'Do it\n\nWell.' });
    removeWorktree(tree);

    expect(git('log', '--format=%H %an %B', 'main..aca/x').trim()).toBe(`${commit} Ada Do it\n\nWell.`);
    expect(git('show', 'aca/x:a.txt')).toBe('two\n');
    expect(readFileSync(path.join(root, '.git/index'))).toEqual(index);
    expect(git('status', '--porcelain', '--branch')).toBe('## main\n M a.txt\n');
  });

  test('never replace a branch that is at another commit', async () => {
    const { make, git } = await repository({ 'a.txt': 'one\n' });
    const tree = await make();
    put(tree.folder, { 'a.txt': 'two\n' });
    const changes = await changesOf(tree);
    const commitTo = (branch: string, replaces?: string) =>
      commitChanges(tree, changes, { branch, message: 'm', ...(replaces !== undefined && { replaces }) });
    await expect(commitTo('main')).rejects.toThrow('The branch main already exists.');
    await expect(commitTo('../x')).rejects.toThrow('../x is not a valid branch name.');
    await expect(commitTo('-d')).rejects.toThrow('-d is not a valid branch name.');
    const head = git('rev-parse', 'main').trim();
    git('branch', 'side');
    expect(await commitTo('side', head)).toBe(git('rev-parse', 'side').trim());
  });
});
