import { lstat, mkdir, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, makePipe, use } from '../../test/support/tool-context.ts';
import { remove } from './delete.ts';

describe('[T17] [U17] Delete', () => {
  test('a file is deleted, and its content is shown', async () => {
    const { root, context, tree } = await bench({ 'a.txt': 'one\ntwo\n', 'b.txt': '' });
    expect(await use(remove, { file_path: 'a.txt' }, context)).toEqual({
      success: true,
      output: 'File deleted successfully; /undo restores it',
      display: {
        kind: 'diff',
        path: 'a.txt',
        patch: '--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n',
        added: 0,
        removed: 2,
      },
      metadata: { path: path.join(root, 'a.txt'), deleted: 'a.txt' },
    });
    expect(await tree()).toEqual({ 'b.txt': '' });
  });

  test('a folder is deleted only with recursive, including everything in it', async () => {
    const { root, context, tree } = await bench({ 'd/a': '1', 'd/e/b': '2', 'keep.txt': '' });
    await mkdir(path.join(root, 'd/empty'));
    expect(await use(remove, { file_path: 'd' }, context)).toEqual({
      success: false,
      error: 'd is a folder. Pass recursive: true to delete it with everything in it.',
    });
    expect(await use(remove, { file_path: 'd/', recursive: true }, context)).toEqual({
      success: true,
      output: 'Folder deleted successfully; /undo restores it',
      display: { kind: 'files', paths: ['d/a', 'd/e/b'].map((name) => path.join(root, name)), total: 2 },
      metadata: { path: path.join(root, 'd'), deleted: 'd/' },
    });
    expect(await tree()).toEqual({ 'keep.txt': '' });
    expect(await readdir(root)).toEqual(['keep.txt']);
  });

  test('links themselves are deleted; their targets stay, inside and outside', async () => {
    const { root, home, context, tree } = await bench({ 'd/a': '1', 'real.txt': 'real' });
    await writeFile(path.join(home, 'canary'), 'mine');
    await symlink('real.txt', path.join(root, 'to-file'));
    await symlink('d', path.join(root, 'to-folder'));
    await symlink('nowhere', path.join(root, 'dangling'));
    await symlink(home, path.join(root, 'd/out'));
    for (const file_path of ['to-file', 'to-folder', 'dangling']) {
      expect(await use(remove, { file_path }, context)).toMatchObject({
        output: 'Link deleted successfully; /undo restores it',
        display: { kind: 'text', text: `${file_path} (the link, not its target)` },
      });
    }
    expect((await readdir(root)).sort()).toEqual(['d', 'real.txt']);
    expect(await use(remove, { file_path: 'd', recursive: true }, context)).toMatchObject({ success: true });
    expect(await tree()).toEqual({ 'real.txt': 'real' });
    expect(await readFile(path.join(home, 'canary'), 'utf8')).toBe('mine');
  });

  test.each(['.', './', 'd/..'])('the working directory itself is refused as %j', async (file_path) => {
    const { context, tree } = await bench({ 'd/a': '1' });
    expect(await use(remove, { file_path, recursive: true }, context)).toEqual({
      success: false,
      error: 'The working directory itself cannot be deleted. Specify a path inside it.',
    });
    expect(await tree()).toEqual({ 'd/a': '1' });
  });

  test('a missing, outside, secret or unrestorable path is refused, and nothing is deleted', async () => {
    const { root, home, context } = await bench({ 'd/a': '1', 'd/.env': 'S=1', 'e/a': '1' });
    await writeFile(path.join(home, 'canary'), 'mine');
    makePipe(path.join(root, 'e/pipe'));
    expect(await use(remove, { file_path: 'nope' }, context)).toEqual({
      success: false,
      error: 'nope does not exist. Find it with Glob or List.',
    });
    const refused = (file_path: string) =>
      use(remove, { file_path, recursive: true }, context).catch((error: Error) => error.message);
    expect(await refused('../home/canary')).toMatch(/^Permission denied/);
    expect(await refused('..')).toMatch(/^Permission denied/);
    expect(await refused('d/.env')).toMatch(/^Permission denied: .*environment files may contain secrets/);
    expect(await refused('d')).toMatch(/^Permission denied: .*environment files may contain secrets/);
    expect(await refused('e')).toMatch(
      /e\/pipe is a pipe, socket or device\. It could not be restored by undo/,
    );
    expect(await readdir(path.join(root, 'd'))).toEqual(['.env', 'a']);
    expect(await readdir(path.join(root, 'e'))).toEqual(['a', 'pipe']);
    expect(await readFile(path.join(home, 'canary'), 'utf8')).toBe('mine');
  });

  test('more than undo can store is refused, with the limit and the alternative', async () => {
    const { root, context } = await bench({ 'd/big': '' });
    await truncate(path.join(root, 'd/big'), 51 * 1024 * 1024);
    await expect(use(remove, { file_path: 'd', recursive: true }, context)).rejects.toThrow(
      /d contains more than 5000 files and folders or 50 MB, too much to save for undo\. Delete smaller parts/,
    );
    expect((await lstat(path.join(root, 'd/big'))).size).toBe(51 * 1024 * 1024);
  });

  test('a failing undo store stops it before anything is deleted', async () => {
    const { context, tree } = await bench(
      { 'd/a': '1', 'd/b': '2' },
      {
        onBeforeWrite: ({ path: file }) =>
          file.endsWith('b') ? Promise.reject(new Error('no room')) : Promise.resolve(),
      },
    );
    await expect(use(remove, { file_path: 'd', recursive: true }, context)).rejects.toThrow('no room');
    expect(await tree()).toEqual({ 'd/a': '1', 'd/b': '2' });
  });

  test('files that change or appear meanwhile are left alone', async () => {
    const space: { root: string } = { root: '' };
    const { root, context, tree } = await bench(
      { 'd/a': '1', 'd/b': '2' },
      {
        async onBeforeWrite({ path: file }) {
          if (file.endsWith('b')) await writeFile(path.join(space.root, 'd/a'), 'changed meanwhile');
        },
      },
    );
    space.root = root;
    await expect(use(remove, { file_path: 'd', recursive: true }, context)).rejects.toThrow(
      /d\/a changed while it was being deleted, so it was left unchanged/,
    );
    expect(await tree()).toEqual({ 'd/a': 'changed meanwhile' });
  });

  test('the preview shows what would be deleted and deletes nothing', async () => {
    const { context, tree } = await bench({ 'a.txt': 'one\n', 'd/b': '' });
    const preview = (file_path: string, recursive = false) =>
      remove.preview?.(remove.input.parse({ file_path, recursive }), context);
    expect(await preview('a.txt')).toMatchObject({ kind: 'diff', removed: 1 });
    expect(await preview('d', true)).toMatchObject({ kind: 'files', total: 1 });
    expect(await preview('d')).toMatchObject({ kind: 'refused' });
    expect(await preview('nope')).toMatchObject({ kind: 'refused' });
    expect(await tree()).toEqual({ 'a.txt': 'one\n', 'd/b': '' });
  });
});
