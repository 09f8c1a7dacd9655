import { mkdir, readdir, rename, rmdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { makeFolder, openFolder } from './open-folder.ts';

describe('[X05] an open folder', () => {
  test('keeps referring to its content when a link replaces it', async ({ skip }) => {
    if (process.platform !== 'linux') skip('only Linux has names for what is held open');
    const { root, home } = await workspace({ 'dir/a.txt': 'mine' });
    const folder = openFolder(path.join(root, 'dir'));
    await rename(path.join(root, 'dir'), path.join(root, 'moved'));
    await symlink(home, path.join(root, 'dir'));
    await writeFile(folder.at('b.txt'), 'new');
    expect(folder.isStillThere()).toBe(false);
    folder.close();
    expect(await readdir(path.join(root, 'moved'))).toEqual(['a.txt', 'b.txt']);
    expect(await readdir(home)).toEqual([]);
  });

  test('is not opened through a link, at its end or before it', async () => {
    const { root } = await workspace({ 'dir/sub/a.txt': 'mine' });
    await symlink('dir', path.join(root, 'link'));
    expect(() => openFolder(path.join(root, 'link'))).toThrow();
    expect(() => openFolder(path.join(root, 'link/sub'))).toThrow();
    expect(() => openFolder(path.join(root, 'dir/sub/a.txt'))).toThrow();
  });

  test('is created with all missing parents, and reports the topmost one', async () => {
    const { root } = await workspace({ 'a/x': '' });
    const folder = makeFolder(path.join(root, 'a/b/c/d'));
    await writeFile(folder.at('e.txt'), '');
    folder.close();
    expect(folder.made).toBe(path.join(root, 'a/b'));
    expect(await readdir(path.join(root, 'a/b/c/d'))).toEqual(['e.txt']);
    const again = makeFolder(path.join(root, 'a/b/c/d'));
    again.close();
    expect(again.made).toBeUndefined();
  });

  test('is not created through a link', async () => {
    const { root, home } = await workspace();
    await symlink(home, path.join(root, 'out'));
    expect(() => makeFolder(path.join(root, 'out/new/deep'))).toThrow();
    expect(await readdir(home)).toEqual([]);
  });

  test('may be one that cannot be listed', async ({ skip }) => {
    if (process.platform !== 'linux') skip('only Linux can pass through such a folder');
    const { root } = await workspace();
    const shut = path.join(root, 'shut');
    await mkdir(shut, { mode: 0o300 });
    const folder = openFolder(shut);
    await writeFile(folder.at('a.txt'), 'x');
    folder.close();
    await rename(path.join(shut, 'a.txt'), path.join(root, 'a.txt'));
    await rmdir(shut);
    expect(await readdir(root)).toEqual(['a.txt']);
  });
});
