import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import { sha256 } from '../lib/sha256.ts';
import { multiEdit } from './multi-edit.ts';
import { read } from './read.ts';

type Row = [file_path: string, old_string: string, new_string: string];

const edits = (...rows: Row[]) => ({
  edits: rows.map(([file_path, old_string, new_string]) => ({ file_path, old_string, new_string })),
});

describe('[U09] MultiEdit', () => {
  test('applies all edits in order, each to the result of the previous one, and shows one change', async () => {
    const { root, context, tree } = await bench({ 'a.ts': 'one\n', 'b/c.ts': 'x\r\n', 'd.ts': 'same\n' });
    const input = edits(['a.ts', 'one', 'two'], ['b/c.ts', 'x', 'y\nz'], ['a.ts', 'two', 'three']);
    expect(await use(multiEdit, input, context)).toEqual({
      success: true,
      output:
        'Files updated successfully: 3 edits made in a.ts, b/c.ts\n' +
        'a.ts: The lines are now:\n1\tthree\nb/c.ts: The lines are now:\n1\ty\n2\tz',
      display: {
        kind: 'diffs',
        diffs: [
          {
            path: 'a.ts',
            patch: '--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,1 @@\n-one\n+three\n',
            added: 1,
            removed: 1,
          },
          {
            path: 'b/c.ts',
            patch: '--- a/b/c.ts\n+++ b/b/c.ts\n@@ -1,1 +1,2 @@\n-x\r\n+y\r\n+z\r\n',
            added: 2,
            removed: 1,
          },
        ],
      },
      metadata: {
        files: [
          { path: path.join(root, 'a.ts'), sha256: sha256('three\n') },
          { path: path.join(root, 'b/c.ts'), sha256: sha256('y\r\nz\r\n') },
        ],
      },
    });
    expect(await tree()).toEqual({ 'a.ts': 'three\n', 'b/c.ts': 'y\r\nz\r\n', 'd.ts': 'same\n' });
    expect(await use(multiEdit, edits(['a.ts', 'three', 'four']), context)).toMatchObject({
      output: 'File updated successfully: 1 edit made in a.ts',
    });
  });

  test.each<[string, Row[], string]>([
    [
      'a text that is not there',
      [
        ['a.ts', 'one', '1'],
        ['b.ts', 'three', '3'],
      ],
      'Edit 2 of 2 (b.ts) failed, so no edit was made: String not found in file\nNothing in it looks similar. Read the file again.',
    ],
    [
      'a text an earlier edit took away',
      [
        ['a.ts', 'one', '1'],
        ['b.ts', 'two', '2'],
        ['a.ts', 'one', '3'],
      ],
      'Edit 3 of 3 (a.ts) failed, so no edit was made: String not found in file\nNothing in it looks similar. Read the file again.',
    ],
    [
      'a missing file',
      [
        ['a.ts', 'one', '1'],
        ['c.ts', 'x', 'y'],
      ],
      'Edit 2 of 2 (c.ts) failed, so no edit was made: c.ts does not exist. Find it with Glob, or create it with Write.',
    ],
    [
      'edits that undo one another',
      [
        ['a.ts', 'one', 'two'],
        ['a.ts', 'two', 'one'],
      ],
      'The edits cancel each other out; there is nothing to change.',
    ],
  ])('%s: nothing is changed, and the error says which edit failed and why', async (_, rows, error) => {
    const files = { 'a.ts': 'one\n', 'b.ts': 'two\n' };
    const { context, tree } = await bench(files);
    expect(await use(multiEdit, edits(...rows), context)).toEqual({ success: false, error });
    expect(await multiEdit.preview?.(multiEdit.input.parse(edits(...rows)), context)).toMatchObject({
      kind: 'refused',
    });
    expect(await tree()).toEqual(files);
  });

  test('[T09] one file that changed since it was read stops all edits', async () => {
    const { root, context, tree } = await bench({ 'a.ts': 'one\n', 'b.ts': 'two\n' });
    await use(read, { file_path: 'b.ts' }, context);
    await writeFile(path.join(root, 'b.ts'), 'two, meanwhile\n');
    expect(await use(multiEdit, edits(['a.ts', 'one', '1'], ['b.ts', 'two', '2']), context)).toEqual({
      success: false,
      error:
        'Edit 2 of 2 (b.ts) failed, so no edit was made: File modified since last read\nRead b.ts again, then repeat the edit.',
    });
    expect(await tree()).toEqual({ 'a.ts': 'one\n', 'b.ts': 'two, meanwhile\n' });
  });

  test('two names of one file are one file', async () => {
    const { root, context, tree } = await bench({ 'a.ts': 'one two\n' });
    await symlink('a.ts', path.join(root, 'link.ts'));
    const input = edits(['a.ts', 'one', '1'], ['link.ts', 'two', '2'], ['./a.ts', '1', 'I']);
    expect(await use(multiEdit, input, context)).toMatchObject({ success: true });
    expect(await tree()).toEqual({ 'a.ts': 'I 2\n' });
  });

  test('a note has the number of its edit', async () => {
    const { context } = await bench({ 'a.ts': 'x\n  one\n' });
    expect(await use(multiEdit, edits(['a.ts', 'x', 'y'], ['a.ts', 'one ', '1']), context)).toMatchObject({
      output: expect.stringMatching(
        /^File updated successfully: 2 edits made in a.ts\nEdit 2: old_string was not found exactly/,
      ),
    });
  });

  test('a failure while the files are replaced leaves every file unchanged', async () => {
    const space: { root: string } = { root: '' };
    const { root, context, tree } = await bench(
      { 'a.ts': 'one\n', 'b.ts': 'two\n', 'c.ts': 'three\n' },
      {
        // A folder replaces the last file: no file can be renamed onto it.
        async onBeforeWrite({ path: file }) {
          if (!file.endsWith('c.ts')) return;
          await rm(file);
          await mkdir(path.join(space.root, 'c.ts/in'), { recursive: true });
        },
      },
    );
    space.root = root;
    const input = edits(['a.ts', 'one', '1'], ['b.ts', 'two', '2'], ['c.ts', 'three', '3']);
    await expect(use(multiEdit, input, context)).rejects.toThrow(/^Cannot write c\.ts: /);
    expect(await tree()).toEqual({ 'a.ts': 'one\n', 'b.ts': 'two\n' });
    expect((await readdir(root)).sort()).toEqual(['a.ts', 'b.ts', 'c.ts']);
  });

  test('each file is one access, and the preview is the change', async () => {
    const { context, tree } = await bench({ 'a.ts': 'one\n', 'b.ts': 'two\n' });
    const input = multiEdit.input.parse(
      edits(['a.ts', 'one', '1'], ['b.ts', 'two', '2'], ['a.ts', '1', 'I']),
    );
    expect(multiEdit.access(input)).toEqual([
      { kind: 'write', target: 'a.ts' },
      { kind: 'write', target: 'b.ts' },
    ]);
    expect(await multiEdit.preview?.(input, context)).toMatchObject({
      kind: 'diffs',
      diffs: [{ path: 'a.ts' }, { path: 'b.ts' }],
    });
    expect(await tree()).toEqual({ 'a.ts': 'one\n', 'b.ts': 'two\n' });
  });
});
