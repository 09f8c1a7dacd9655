import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import { sha256 } from '../lib/sha256.ts';
import { read } from './read.ts';
import { write } from './write.ts';

describe('[T07] Write', () => {
  test('creates a file with its folders, shows it, and may then overwrite it', async () => {
    const { root, context, tree } = await bench();
    const file_path = 'new/a.txt';
    expect(await use(write, { file_path, content: 'one\n' }, context)).toEqual({
      success: true,
      output: 'File created successfully',
      display: {
        kind: 'diff',
        path: file_path,
        patch: '--- /dev/null\n+++ b/new/a.txt\n@@ -0,0 +1,1 @@\n+one\n',
        added: 1,
        removed: 0,
      },
      metadata: { path: path.join(root, file_path), bytes: 4, sha256: sha256('one\n') },
    });
    expect(await use(write, { file_path, content: 'two\n' }, context)).toMatchObject({
      output: 'File overwritten successfully',
      display: { added: 1, removed: 1 },
    });
    expect(await tree()).toEqual({ 'new/a.txt': 'two\n' });
  });

  test('identical content is not written again, read or not', async () => {
    const { root, context } = await bench({ 'a.txt': 'same' });
    const before = await stat(path.join(root, 'a.txt'));
    expect(await use(write, { file_path: 'a.txt', content: 'same' }, context)).toEqual({
      success: true,
      output: 'a.txt already has exactly this content; nothing was written.',
      summary: { kind: 'change', added: 0, removed: 0, files: 1 },
    });
    expect((await stat(path.join(root, 'a.txt'))).ino).toBe(before.ino);
  });

  test('an existing file that was not read is left unchanged', async () => {
    const { context, tree } = await bench({ 'a.txt': 'old' });
    expect(await use(write, { file_path: 'a.txt', content: 'new' }, context)).toEqual({
      success: false,
      error: 'a.txt exists and was not read in this session. Read it first, then write or edit it.',
    });
    expect(await tree()).toEqual({ 'a.txt': 'old' });
  });

  test('a file that changed since it was read is left unchanged', async () => {
    const { root, context, tree } = await bench({ 'a.txt': 'old' });
    await use(read, { file_path: 'a.txt' }, context);
    await writeFile(path.join(root, 'a.txt'), 'meanwhile');
    expect(await use(write, { file_path: 'a.txt', content: 'new' }, context)).toEqual({
      success: false,
      error: 'File modified since last read\nRead a.txt again, then decide what to write.',
    });
    expect(await tree()).toEqual({ 'a.txt': 'meanwhile' });
  });

  test('a folder and a secret are refused', async () => {
    const { context, tree } = await bench({ 'src/a': '' });
    expect(await use(write, { file_path: 'src', content: '' }, context)).toEqual({
      success: false,
      error: 'src is a folder. Specify a file in it.',
    });
    await expect(use(write, { file_path: '.env.local', content: 'x' }, context)).rejects.toThrow(
      /^Permission denied/,
    );
    expect(await tree()).toEqual({ 'src/a': '' });
  });

  test('a file keeps its encoding and its CRLF line endings, and the model is notified', async () => {
    const { root, context } = await bench();
    const file = path.join(root, 'a.txt');
    await writeFile(file, Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le'));
    await use(read, { file_path: 'a.txt' }, context);
    expect(await use(write, { file_path: 'a.txt', content: 'one\ntwo\n' }, context)).toMatchObject({
      output: 'a.txt already has exactly this content; nothing was written.',
      summary: { kind: 'change', added: 0, removed: 0, files: 1 },
    });
    expect(await use(write, { file_path: 'a.txt', content: 'one\nzwei\n' }, context)).toMatchObject({
      output:
        'File overwritten successfully\nThe file keeps its encoding, utf-16le.\nThe file keeps its CRLF line endings.',
      display: { added: 1, removed: 1 },
    });
    expect(await readFile(file)).toEqual(Buffer.from('\ufeffone\r\nzwei\r\n', 'utf16le'));
  });

  test('mixed line endings, or ones sent by the model, are written as sent', async () => {
    const { context, tree } = await bench({ 'a.txt': 'one\r\ntwo\n', 'b.txt': 'one\r\n' });
    await use(read, { file_path: 'a.txt' }, context);
    await use(read, { file_path: 'b.txt' }, context);
    await use(write, { file_path: 'a.txt', content: '1\n2\n' }, context);
    await use(write, { file_path: 'b.txt', content: '1\n2\r\n' }, context);
    expect(await tree()).toEqual({ 'a.txt': '1\n2\n', 'b.txt': '1\n2\r\n' });
  });

  test("characters that the file's encoding lacks, and lone surrogates, are refused", async () => {
    const { root, context } = await bench();
    await writeFile(path.join(root, 'a.txt'), Buffer.from('caf\xe9', 'latin1'));
    await use(read, { file_path: 'a.txt' }, context);
    expect(await use(write, { file_path: 'a.txt', content: '→' }, context)).toEqual({
      success: false,
      error:
        'a.txt is in windows-1252, which cannot represent some characters of the content. ' +
        'Avoid them, or delete the file first to have it written as UTF-8.',
    });
    expect(await use(write, { file_path: 'b.txt', content: '\ud83d' }, context)).toMatchObject({
      error: 'The content contains half of a character (a lone surrogate). Send it complete.',
    });
    expect(await readFile(path.join(root, 'a.txt'), 'latin1')).toBe('caf\xe9');
  });

  test('the preview shows the change without making it', async () => {
    const { context, tree } = await bench({ 'a.txt': 'old\n' });
    const preview = () => write.preview?.({ file_path: 'a.txt', content: 'new\n' }, context);
    expect(await preview()).toMatchObject({
      kind: 'refused',
      error: expect.stringContaining('was not read in this session'),
    });
    await use(read, { file_path: 'a.txt' }, context);
    expect(await preview()).toMatchObject({
      kind: 'diff',
      patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n',
    });
    expect(await tree()).toEqual({ 'a.txt': 'old\n' });
  });
});
