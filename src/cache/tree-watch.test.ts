import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as always, expect, onTestFinished } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { isOnLocalDisk } from '../lib/files/local-disk.ts';
import { TreeWatch } from './tree-watch.ts';

/** No tree is watched on other systems. */
const test = always.skipIf(process.platform !== 'linux' || !isOnLocalDisk(tmpdir()));

async function watching(files: Record<string, string>, maxFolders?: number) {
  const { root, home } = await workspace(files);
  const heard = new Set<string | null>();
  const failed: string[] = [];
  const tree = new TreeWatch({
    root,
    home,
    cookies: path.join(home, 'cookies'),
    onChange: (file) => heard.add(file === null ? null : path.relative(root, file)),
    onFail: (why) => failed.push(why),
    ...(maxFolders !== undefined && { maxFolders }),
  });
  onTestFinished(() => tree.close());
  await tree.walked();
  const inside = (name: string) => path.join(root, name);
  /** All notifications of a change. */
  const after = async (change: Promise<unknown>) => {
    heard.clear();
    await change;
    await tree.settle();
    await tree.walked();
    return [...heard].sort();
  };
  return { root, tree, inside, after, failed };
}

test('a change is reported by path, at any depth, before the tree counts as settled', async () => {
  const { after, inside, tree, root } = await watching({ 'a.txt': 'a', 'src/deep/b.txt': 'b' });
  expect(tree.covers(root)).toBe(true);
  expect(await after(writeFile(inside('a.txt'), 'x'))).toEqual(['a.txt']);
  expect(await after(writeFile(inside('src/deep/b.txt'), 'x'))).toEqual(['src/deep/b.txt']);
  expect(await after(rm(inside('src/deep/b.txt')))).toEqual(['src/deep/b.txt']);
});

test('folders created later are watched, too, and moved ones are known only by their new name', async () => {
  const { after, inside, tree } = await watching({ 'src/a.txt': 'a' });
  await after(mkdir(inside('src/new/deep'), { recursive: true }));
  expect(tree.covers(inside('src/new/deep'))).toBe(true);
  expect(await after(writeFile(inside('src/new/deep/x'), ''))).toEqual(['src/new/deep/x']);
  expect(await after(rename(inside('src/new'), inside('moved')))).toEqual(['moved', 'src/new']);
  expect([tree.covers(inside('src/new/deep')), tree.covers(inside('moved/deep'))]).toEqual([false, true]);
  expect(await after(writeFile(inside('moved/deep/x'), 'y'))).toEqual(['moved/deep/x']);
});

test('[H08] node_modules, .git and .gitignore matches are not watched; a search of them is not covered', async () => {
  const { after, inside, tree, root } = await watching({
    '.gitignore': 'node_modules\n/dist/\n*.log\n!keep.log\n',
    'node_modules/p/index.js': '',
    'dist/out.js': '',
    '.git/config': '',
    'sub/dist/kept.js': '',
    'logs/a.log': '',
  });
  expect(tree.folders).toBe(4);
  expect(
    ['node_modules', 'dist', '.git', 'sub/dist', 'logs'].map((name) => tree.covers(inside(name))),
  ).toEqual([false, false, false, true, true]);
  expect(tree.covers(root)).toBe(true);
  expect(await after(writeFile(inside('dist/out.js'), 'x'))).toEqual([]);
  expect(await after(writeFile(inside('logs/new.md'), 'x'))).toEqual(['logs/new.md']);
});

test('a search that includes node_modules, because nothing ignores it, is not covered', async () => {
  const { tree, inside, root } = await watching({ 'node_modules/p.js': '', 'src/a.ts': '' });
  expect([tree.covers(root), tree.covers(inside('src'))]).toEqual([false, true]);
});

test('an .ignore file that re-includes something makes the tree uncovered', async () => {
  const { tree, root } = await watching({ '.gitignore': 'dist\n', '.ignore': '!dist\n', 'dist/a.js': '' });
  expect(tree.covers(root)).toBe(false);
});

test('a changed .gitignore means that everything may have changed', async () => {
  const { after, inside, tree } = await watching({ '.gitignore': 'dist\n', 'dist/a.js': '', 'src/a.js': '' });
  expect(await after(writeFile(inside('.gitignore'), 'src\n'))).toEqual([null]);
  expect([tree.covers(inside('dist')), tree.covers(inside('src'))]).toEqual([true, false]);
});

test('an unreadable folder is watched as soon as it becomes readable', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root may read everything');
  const { after, inside, tree } = await watching({ 'src/a.txt': 'a' });
  await after(chmod(inside('src'), 0o000));
  await after(rename(inside('src'), inside('locked')));
  expect(tree.covers(inside('locked'))).toBe(false);
  await after(chmod(inside('locked'), 0o755));
  expect(tree.covers(inside('locked'))).toBe(true);
});

test('a tree with too many folders is not watched, which is reported once', async () => {
  const files = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`d${n}/a.txt`, '']));
  const { tree, root, failed } = await watching(files, 3);
  expect([tree.covers(root), await tree.settle(), tree.folders]).toEqual([false, false, 0]);
  expect(failed).toEqual(['it has more than 3 folders']);
});
