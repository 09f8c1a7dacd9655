import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { changedNames, contentOf, put, repository } from '../../../test/support/repositories.ts';
import { soak } from '../../../test/support/soak.ts';
import { changesOf, commitChanges } from './changes.ts';
import { createWorktree } from './create.ts';
import { removeWorktree } from './remove.ts';

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit || process.platform === 'win32')('a worktree', () => {
  test('has the files of the last commit and not what is not committed', async () => {
    const { root, make, git } = await repository({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' });
    put(root, { 'a.txt': 'dirty\n', 'new.txt': 'untracked\n' });
    git('add', 'a.txt');
    const before = contentOf(root, { git: true });
    const tree = await make();

    expect(contentOf(tree.folder)).toEqual({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' });
    expect(await changedNames(tree)).toEqual({ files: [], leftOut: [] });
    expect(contentOf(root, { git: true })).toEqual(before);
  });

  test('has what is not committed as well where that is asked for', async () => {
    const { root, make } = await repository({ 'a.txt': 'one\n', 'b.txt': 'two\n', '.gitignore': 'out\n' });
    put(root, { 'a.txt': 'dirty\n', 'new.txt': 'untracked\n', 'out/x': 'ignored' });
    rmSync(path.join(root, 'b.txt'));
    const before = contentOf(root, { git: true });
    const tree = await make({ uncommitted: true });

    expect(contentOf(tree.folder)).toEqual({
      'a.txt': 'dirty\n',
      'new.txt': 'untracked\n',
      '.gitignore': 'out\n',
    });
    expect(await changedNames(tree)).toEqual({ files: [], leftOut: [] });
    expect(contentOf(root, { git: true })).toEqual(before);
  });

  test('is a repository of its own: commits, branches, settings and hooks in it stay in it', async () => {
    const { root, make, env } = await repository({ 'a.txt': 'one\n' });
    const before = contentOf(root, { git: true });
    const tree = await make({ branch: 'aca/fix' });
    const inside = (...args: string[]) =>
      execFileSync('git', args, { cwd: tree.cwd, env, encoding: 'utf8', stdio: 'pipe' });

    expect(inside('status', '--porcelain', '--branch')).toBe('## aca/fix\n');
    expect(inside('log', '--format=%s')).toBe('one\n');
    put(tree.folder, { 'a.txt': 'two\n' });
    inside('commit', '-qam', 'two');
    inside('branch', 'other');
    inside('config', 'core.pager', 'evil');
    expect(inside('log', '-1', '--format=%an')).toBe('Ada\n');
    expect(await changedNames(tree)).toEqual({ files: ['a.txt'], leftOut: [] });
    await removeWorktree(tree);

    expect(contentOf(root, { git: true })).toEqual(before);
    expect(existsSync(tree.at)).toBe(false);
  });

  test('starts in the folder that corresponds to the one asked for', soak, async () => {
    const { root, make } = await repository({ 'a.txt': 'one\n', 'pkg/b.txt': 'two\n' });
    const tree = await make({ repository: path.join(root, 'pkg') });
    expect(path.relative(tree.folder, tree.cwd)).toBe('pkg');
    expect(readdirSync(tree.cwd)).toEqual(['b.txt']);
  });

  test('starts from any commit, and says so if there is none', soak, async () => {
    const { root, make, git } = await repository({ 'a.txt': 'one\n' });
    git('tag', 'v1');
    put(root, { 'a.txt': 'two\n' });
    git('commit', '-qam', 'two');
    expect(contentOf((await make({ base: 'v1' })).folder)).toEqual({ 'a.txt': 'one\n' });
    await expect(make({ base: 'v2' })).rejects.toThrow(`${root} has no commit v2.`);
    await expect(make({ base: '--help' })).rejects.toThrow('has no commit --help.');
  });

  test('can be made from a bare repository, and from a worktree of a repository', soak, async () => {
    const { base, root, make, git } = await repository({ 'a.txt': 'one\n' });
    git('clone', '-q', '--bare', root, path.join(base, 'bare.git'));
    const bare = await make({ repository: path.join(base, 'bare.git') });
    expect(contentOf(bare.folder)).toEqual({ 'a.txt': 'one\n' });

    git('worktree', 'add', '-q', '-b', 'side', path.join(base, 'side'));
    put(path.join(base, 'side'), { 'a.txt': 'side\n' });
    const side = await make({
      repository: path.join(base, 'side'),
      at: path.join(base, 'two'),
      uncommitted: true,
    });
    expect(contentOf(side.folder)).toEqual({ 'a.txt': 'side\n' });
  });

  test('without a commit or a repository, it is a copy of the files', async () => {
    const { root, make, base, env } = await repository({});
    put(root, { 'a.txt': 'one\n', '.gitignore': 'out\n', 'out/x': 'ignored' });
    const tree = await make();
    expect(contentOf(tree.folder)).toEqual({ 'a.txt': 'one\n', '.gitignore': 'out\n' });

    const plain = path.join(base, 'plain');
    put(plain, { 'a.txt': 'one\n', 'b/c.bin': Buffer.from([0, 255, 13, 10]) });
    mkdirSync(path.join(plain, 'b/empty/deeper'), { recursive: true });
    const copy = await createWorktree({ repository: plain, at: path.join(base, 'two'), env });
    expect(contentOf(copy.folder)).toEqual(contentOf(plain));
    expect(readdirSync(path.join(copy.folder, 'b/empty'))).toEqual(['deeper']);
    put(copy.folder, { 'a.txt': 'two\n' });
    expect(await changedNames(copy)).toEqual({ files: ['a.txt'], leftOut: [] });
    const changes = await changesOf(copy);
    await expect(commitChanges(copy, changes, { branch: 'x', message: 'm' })).rejects.toThrow(
      'A branch needs a repository',
    );
  });

  test('the names of folders and files may be anything', soak, async () => {
    const { make, root, base } = await repository(
      { 'ä b/日本 \'"$x`.txt': 'one\n', '-n': 'dash\n' },
      'my prøject 日本\n\'"\\ x',
    );
    const tree = await make({ at: path.join(base, ' trees "ü\'\\', 'o ne') });
    expect(contentOf(tree.folder)).toEqual(contentOf(root));
    put(tree.folder, { 'ä b/日本 \'"$x`.txt': 'two\n', '*': 'star\n' });
    expect(await changedNames(tree)).toEqual({ files: ['*', 'ä b/日本 \'"$x`.txt'], leftOut: [] });
  });

  test('links and modes are kept as they are, and a link out of it is only a link', soak, async () => {
    const { root, make, git, base } = await repository({ 'a.txt': 'one\n', 'run.sh': '#!/bin/sh\n' });
    symlinkSync('/etc/hostname', path.join(root, 'out'));
    chmodSync(path.join(root, 'run.sh'), 0o755);
    git('add', '-A');
    git('commit', '-qm', 'links');
    const tree = await make();
    expect(contentOf(tree.folder)).toEqual(contentOf(root));
    symlinkSync(base, path.join(tree.folder, 'up'));
    expect(await changedNames(tree)).toEqual({ files: ['up'], leftOut: [] });
  });

  test('submodules are empty folders, and files put there are reported as left out', soak, async () => {
    const inner = await repository({ 'x.txt': 'inner\n' });
    const { root, make, git } = await repository({ 'a.txt': 'one\n' });
    git('submodule', '--quiet', 'add', inner.root, 'mod');
    git('commit', '-qm', 'module');
    for (const [i, uncommitted] of [false, true].entries()) {
      const tree = await make({ uncommitted, at: path.join(path.dirname(root), `t${i}`) });
      expect(readdirSync(path.join(tree.folder, 'mod'))).toEqual([]);
      expect(await changedNames(tree)).toEqual({ files: [], leftOut: [] });
      put(tree.folder, { 'mod/y.txt': 'lost?\n', 'a.txt': 'two\n' });
      expect(await changedNames(tree)).toEqual({ files: ['a.txt'], leftOut: ['mod/y.txt'] });
      const commit = await commitChanges(tree, await changesOf(tree), { branch: `b${i}`, message: 'm' });
      expect(git('diff', '--name-only', 'main', commit)).toBe('a.txt\n');
      rmSync(path.join(tree.folder, 'mod'), { recursive: true });
      expect(await changedNames(tree)).toEqual({ files: ['a.txt', 'mod'], leftOut: [] });
    }
  });

  test('a repository made in it is reported as left out', soak, async () => {
    const { make, env } = await repository({ 'a.txt': 'one\n' });
    const tree = await make();
    put(tree.folder, { 'with/x': 'x', 'without/x': 'x', 'b.txt': 'b' });
    for (const name of ['with', 'without'])
      execFileSync('git', ['init', '-q', name], { cwd: tree.folder, env });
    const inside = { cwd: path.join(tree.folder, 'with'), env };
    execFileSync(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x'],
      inside,
    );
    expect(await changedNames(tree)).toEqual({ files: ['b.txt'], leftOut: ['with', 'without'] });
  });

  test('a sparse checkout stays sparse, and loses nothing', soak, async () => {
    const { root, make, git } = await repository({
      'in/a.txt': 'one\n',
      'out/b.txt': 'two\n',
      'top.txt': 'top\n',
    });
    git('sparse-checkout', 'set', 'in');
    put(root, { 'in/a.txt': 'dirty\n' });
    for (const [i, uncommitted] of [false, true].entries()) {
      const tree = await make({ uncommitted, at: path.join(path.dirname(root), `t${i}`) });
      expect(Object.keys(contentOf(tree.folder))).toEqual(['in/a.txt', 'top.txt']);
      expect(await changedNames(tree)).toEqual({ files: [], leftOut: [] });
      put(tree.folder, { 'out/new.txt': 'outside the cone\n' });
      expect(await changedNames(tree)).toEqual({ files: ['out/new.txt'], leftOut: [] });
    }
  });

  test('files of Git LFS are its pointers, and stay so', soak, async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
    const { root, make, git, base } = await repository({ 'big.bin': pointer });
    put(root, { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' });
    git('add', '-A');
    git('commit', '-qm', 'lfs');
    writeFileSync(
      path.join(base, '.gitconfig'),
      '[filter "lfs"]\n\tclean = false\n\tsmudge = false\n\trequired = true\n',
    );
    const tree = await make();
    expect(readFileSync(path.join(tree.folder, 'big.bin'), 'utf8')).toBe(pointer);
    expect(await changedNames(tree)).toEqual({ files: [], leftOut: [] });
  });

  test('line endings are those of the repository', soak, async () => {
    const { root, make, git } = await repository({
      '.gitattributes': '*.txt text eol=crlf\n',
      'a.txt': 'one\r\ntwo\r\n',
    });
    git('config', 'core.safecrlf', 'true');
    const tree = await make({ uncommitted: true });
    expect(contentOf(tree.folder)).toEqual(contentOf(root));
    expect(await changedNames(tree)).toEqual({ files: [], leftOut: [] });
  });

  test('ignored folders are linked where that is asked for, and are no change', async () => {
    const { root, make, git } = await repository({ '.gitignore': 'node_modules/\nout/\n', 'a.txt': 'one\n' });
    put(root, { 'node_modules/x/index.js': 'x', 'out/y': 'y' });
    symlinkSync('/etc', path.join(root, 'link'));
    const tree = await make({
      links: ['node_modules', 'missing', 'link', '../project', '/etc', 'a.txt', '.git'],
    });
    expect(readFileSync(path.join(tree.folder, 'node_modules/x/index.js'), 'utf8')).toBe('x');
    expect(tree.links).toEqual(['node_modules']);
    expect(await changedNames(tree)).toEqual({ files: [], leftOut: [] });
    expect(git('-C', tree.folder, 'status', '--porcelain')).toBe('');
    await removeWorktree(tree);
    expect(readFileSync(path.join(root, 'node_modules/x/index.js'), 'utf8')).toBe('x');
  });

  test('is removed whatever was done to it', async () => {
    const { make } = await repository({ 'a/b/c.txt': 'one\n' });
    const tree = await make();
    chmodSync(path.join(tree.folder, 'a/b'), 0o500);
    chmodSync(path.join(tree.folder, 'a'), 0o000);
    await removeWorktree(tree);
    expect(existsSync(tree.at)).toBe(false);
  });
});
