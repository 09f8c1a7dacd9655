import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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
import { branchCommit, moveBranch } from './branch.ts';
import { addCommit, changesOf, commitChanges, writePatch } from './changes.ts';
import { createWorktree } from './create.ts';
import { removeWorktree } from './remove.ts';
import { recordOf } from './worktree.ts';

const blobId = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');
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
            await removeWorktree(tree);
          },
        ),
        { numRuns: runs },
      );
      git('fsck', '--strict');
    },
  );

  test.skipIf(process.platform !== 'linux')('are not cut off by a full disk without an error', async () => {
    const { make } = await repository({ 'a.txt': 'one\n' });
    const tree = await make();
    put(tree.folder, { 'a.txt': 'two\n' });
    await expect(writePatch(tree, await changesOf(tree), '/dev/full')).rejects.toThrow('The disk is full');
    await removeWorktree(tree);
  });

  test('are not left out because their files could not be written', async () => {
    const { make } = await repository({ 'a.txt': 'one\n' });
    const tree = await make();
    put(tree.folder, { 'a.txt': 'two\n' });
    const objects = path.join(recordOf(tree).gitDir, 'objects');
    // The folder for the new object.
    writeFileSync(path.join(objects, blobId('two\n').slice(0, 2)), '');
    await expect(changesOf(tree)).rejects.toThrow('Git failed');
    await removeWorktree(tree);
  });

  test('go onto a branch without touching index, files or the current branch', async () => {
    const { root, make, git } = await repository({ 'a.txt': 'one\n' });
    put(root, { 'a.txt': 'mine\n' });
    git('config', 'commit.gpgSign', 'true');
    const tree = await make();
    put(tree.folder, { 'a.txt': 'two\n' });
    const changes = await changesOf(tree);
    const index = readFileSync(path.join(root, '.git/index'));
    const commit = await commitChanges(tree, changes, { branch: 'aca/x', message: 'Do it\n\nWell.' });
    await removeWorktree(tree);

    expect(git('log', '--format=%H %an %B', 'main..aca/x').trim()).toBe(`${commit} Ada Do it\n\nWell.`);
    expect(git('show', 'aca/x:a.txt')).toBe('two\n');
    expect(readFileSync(path.join(root, '.git/index'))).toEqual(index);
    expect(git('status', '--porcelain', '--branch')).toBe('## main\n M a.txt\n');
  });

  test.each([false, true])(
    'take no look at the history: a partial clone without it is enough (uncommitted files: %s)',
    async (uncommitted) => {
      const { root, git } = await repository({ 'a.txt': 'one\n', 'd/b.txt': 'b\n' });
      for (const text of ['two\n', 'three\n']) {
        put(root, { 'a.txt': text });
        git('commit', '-qam', text);
      }
      git('config', 'uploadpack.allowFilter', 'true');
      const partial = `${root}-partial`;
      git('clone', '-q', '--filter=blob:none', `file://${root}`, partial);
      const theirs = (...args: string[]) =>
        spawnSync('git', ['-C', partial, ...args], { encoding: 'utf8' }).stdout;
      const missing = () =>
        theirs('rev-list', '--all', '--objects', '--missing=print').match(/^\?.*/gm)?.sort();
      const before = missing();
      // Whatever needs more of it fails.
      theirs('remote', 'set-url', 'origin', 'file:///nowhere');
      if (uncommitted) put(partial, { 'mine.txt': 'mine\n' });
      const tree = await createWorktree({
        repository: partial,
        at: `${partial}-tree`,
        env: process.env,
        uncommitted,
      });
      if (!tree) throw new Error('no worktree');
      put(tree.folder, { 'a.txt': 'four\n', 'd/new.txt': 'new\n' });
      await commitChanges(tree, await changesOf(tree), { branch: 'x', message: 'm' });
      await removeWorktree(tree);

      expect(before).toHaveLength(2);
      expect(missing()).toEqual(before);
      expect(theirs('show', 'x:a.txt', 'x:d/new.txt', 'x:d/b.txt')).toBe('four\nnew\nb\n');
      expect(theirs('fsck', '--connectivity-only', '--no-dangling')).toBe('');
      expect(theirs('ls-tree', '-r', '--name-only', 'x').includes('mine.txt')).toBe(uncommitted);
    },
  );

  test('replace a branch only on request', async () => {
    const { make, git } = await repository({ 'a.txt': 'one\n' });
    const tree = await make();
    put(tree.folder, { 'a.txt': 'two\n' });
    const changes = await changesOf(tree);
    const commitTo = (branch: string, replace = false) =>
      commitChanges(tree, changes, { branch, message: 'm', replace });
    const head = git('rev-parse', 'main');
    await expect(commitTo('main')).rejects.toThrow('The branch main already exists.');
    await expect(commitTo('../x')).rejects.toThrow('bad name');
    expect(git('rev-parse', 'main')).toBe(head);
    git('branch', 'side');
    expect(await commitTo('side', true)).toBe(git('rev-parse', 'side').trim());
  });

  test('move a branch only from the commit that is expected there', async () => {
    const { make, git } = await repository({ 'a.txt': 'one\n' });
    const tree = await make();
    const commitOf = async (text: string) => {
      put(tree.folder, { 'a.txt': text });
      return addCommit(tree, await changesOf(tree), text);
    };
    const { gitDir, commit: one } = await commitOf('two\n');
    const { commit: two } = await commitOf('three\n');
    const local = { gitDir, branch: 'aca/x', env: tree.env };

    expect(await branchCommit(local)).toBe('');
    expect(await moveBranch(local, { commit: one, replaces: '' })).toBe(one);
    // Too late, whether it expects none or an old one.
    expect(await moveBranch(local, { commit: two, replaces: '' })).toBe(one);
    expect(await moveBranch(local, { commit: two, replaces: two })).toBe(one);
    expect(await branchCommit(local)).toBe(one);
    expect(await moveBranch(local, { commit: two, replaces: one })).toBe(two);
    expect(git('show', 'aca/x:a.txt')).toBe('three\n');
    await expect(moveBranch({ ...local, branch: '../x' }, { commit: two, replaces: '' })).rejects.toThrow(
      'bad name',
    );
    git('branch', '-D', 'aca/x');
    await expect(moveBranch(local, { commit: two, replaces: one })).rejects.toThrow('Git failed');
  });
});
