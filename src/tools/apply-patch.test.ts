import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import { applyPatch } from './apply-patch.ts';

const patchOf = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

async function applied(files: Record<string, string>, patch: string) {
  const { root, context } = await bench(files);
  const result = await use(applyPatch, { patch }, context);
  const textOf = (file: string) => readFile(path.join(root, file), 'utf8').catch(() => null);
  return { result, textOf };
}

describe('apply_patch', () => {
  test('adds, changes, moves and deletes files as one change', async () => {
    const patch = patchOf(
      '*** Add File: new/c.txt',
      '+first',
      '+',
      '*** Update File: a.txt',
      '@@',
      ' one',
      '-two',
      '+TWO',
      '*** Update File: b.txt',
      '*** Move to: moved/b.txt',
      '@@',
      '-x',
      '+y',
      '*** Delete File: d.txt',
    );
    const { result, textOf } = await applied(
      { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'x\n', 'd.txt': 'd' },
      patch,
    );
    expect(result).toMatchObject({
      success: true,
      output: 'Patch applied: new/c.txt, a.txt, moved/b.txt, d.txt',
    });
    expect(await Promise.all(['new/c.txt', 'a.txt', 'moved/b.txt', 'b.txt', 'd.txt'].map(textOf))).toEqual([
      'first\n\n',
      'one\nTWO\nthree\n',
      'y\n',
      null,
      null,
    ]);
    expect(applyPatch.access(applyPatch.input.parse({ patch }))).toEqual([
      { kind: 'write', target: 'new/c.txt' },
      { kind: 'write', target: 'a.txt' },
      { kind: 'write', target: 'b.txt' },
      { kind: 'write', target: 'moved/b.txt' },
      { kind: 'write', target: 'd.txt', itself: true },
    ]);
  });

  test.each([
    ['line endings stay', 'a\r\nb\r\nc\r\n', ['@@', '-b', '+B', '+B2'], 'a\r\nB\r\nB2\r\nc\r\n'],
    [
      'an anchor chooses the place',
      'def f():\n  x\ndef g():\n  x\n',
      ['@@ def g():', '-  x', '+  y'],
      'def f():\n  x\ndef g():\n  y\n',
    ],
    [
      'anchors nest',
      'class A\n  def f\n    x\nclass B\n  def f\n    x\n',
      ['@@ class B', '@@ def f', '-    x', '+    y'],
      'class A\n  def f\n    x\nclass B\n  def f\n    y\n',
    ],
    ['several hunks, in order', 'a\nb\na\n', ['@@', ' b', '-a', '+c'], 'a\nb\nc\n'],
    ['lines are removed with their endings', 'a\nb\nc\n', ['@@', '-b'], 'a\nc\n'],
    ['the end of the file is meant', 'x\ny\nx\n', ['@@', '-x', '+z', '*** End of File'], 'x\ny\nz\n'],
    ['a file without a final newline', 'a\nb', ['@@', '-b', '+c'], 'a\nc'],
    ['lines after an anchor', 'a\nb\n', ['@@ a', '+new'], 'a\nnew\nb\n'],
    ['no header of a hunk', 'a\nb\n', ['-a', '+A'], 'A\nb\n'],
  ])('%s', async (_, before, hunk, after) => {
    const { result, textOf } = await applied({ f: before }, patchOf('*** Update File: f', ...hunk));
    expect(result.success || result.error).toBe(true);
    expect(await textOf('f')).toBe(after);
  });

  test.each([
    [
      'two places',
      'x\ny\nx\n',
      patchOf('*** Update File: f', '@@', '-x', '+z'),
      /appear 2 times, on lines 1, 3/,
    ],
    ['part of a line', 'xy\n', patchOf('*** Update File: f', '@@', '-x', '+z'), /not in the file/],
    ['a missing line', 'a\n', patchOf('*** Update File: f', '@@', '-b', '+c'), /not in the file:\nb/],
    ['a missing anchor', 'a\n', patchOf('*** Update File: f', '@@ def g', '-a', '+c'), /no line "def g"/],
    ['a missing file', 'a\n', patchOf('*** Update File: g', '@@', '-a', '+c'), /g does not exist/],
    ['a file that is there', 'a\n', patchOf('*** Add File: f', '+a'), /already exists/],
    ['no end', 'a\n', '*** Begin Patch\n*** Update File: f\n-a\n+b', /must start .* and end/],
    ['a line without a mark', 'a\n', patchOf('*** Update File: f', 'a'), /starts with a space/],
    [
      'all or nothing',
      'a\n',
      patchOf('*** Update File: f', '-a', '+b', '*** Delete File: gone'),
      /gone does not exist/,
    ],
  ])('refuses %s, and changes nothing', async (_, before, patch, error) => {
    const { result, textOf } = await applied({ f: before }, patch);
    expect(result.success ? '' : result.error).toMatch(error);
    expect(await textOf('f')).toBe(before);
  });
});
