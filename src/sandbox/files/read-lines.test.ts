import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { sha256 } from '../../lib/sha256.ts';
import { cutLine } from '../../lib/text/cut-line.ts';
import { type Encoding, encodeText } from '../../lib/text/text-encoding.ts';
import { readLines } from './read-lines.ts';

const encodings: Encoding[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'windows-1252'];
const all = { offset: 0, limit: 1_000_000 };

async function handleOf(content: string | Uint8Array) {
  const { root } = await workspace();
  const file = path.join(root, 'a');
  await writeFile(file, content);
  const handle = await open(file);
  onTestFinished(() => handle.close());
  return handle;
}

describe('[N08] readLines', () => {
  test('returns a window, and whether the file continues', async () => {
    const text = 'one\ntwo\r\nthree\n';
    const handle = await handleOf(text);
    expect(await readLines(handle, all)).toEqual({
      lines: ['one', 'two', 'three'],
      more: false,
      sha256: sha256(text),
    });
    expect(await readLines(handle, { offset: 1, limit: 1 })).toEqual({
      lines: ['two'],
      more: true,
      sha256: null,
    });
    expect(await readLines(handle, { offset: 2, limit: 1 })).toEqual({
      lines: ['three'],
      more: false,
      sha256: sha256(text),
    });
    expect(await readLines(handle, { offset: 3, limit: 1 })).toMatchObject({ lines: [], more: false });
  });

  test('a following empty line counts as more; an empty file has none', async () => {
    expect(await readLines(await handleOf('a\n\n'), { offset: 0, limit: 1 })).toMatchObject({ more: true });
    expect(await readLines(await handleOf(''), all)).toEqual({ lines: [], more: false, sha256: sha256('') });
  });

  test('line endings of every kind, a last line without one, and lone CR', async () => {
    const lines = async (text: string) => (await readLines(await handleOf(text), all)).lines;
    expect(await lines('a\r\n\r\nb\rc\nd\r')).toEqual(['a', '', 'b\rc', 'd\r']);
    expect(await lines('one\rtwo\r')).toEqual(['one', 'two']);
  });

  test('binary is refused', async () => {
    await expect(readLines(await handleOf('a\0b'), all)).rejects.toThrow('The file is binary');
  });

  sweep(encodings)('%s: characters and line endings that straddle chunks survive', async (encoding) => {
    // In windows-1252 é next to € is also valid UTF-8, which is ambiguous.
    const letters = encoding === 'windows-1252' ? ['é', ' €', 'ab'] : ['é', '€', '😀', 'ab', '漢'];
    const anyText = fc.tuple(
      fc.constantFrom('\n', '\r\n'),
      // Chunks are 256 KB: cover every alignment around that position.
      fc.integer({ min: 0, max: 9 }),
      fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 7 }),
    );
    const { root } = await workspace();
    const file = path.join(root, 'a');
    await fc.assert(
      fc.asyncProperty(anyText, async ([end, shift, drawn]) => {
        const line = drawn.join('');
        const count = Math.ceil(300_000 / (line.length + end.length));
        const lines = [`é${'x'.repeat(shift)}`, ...Array.from({ length: count }, () => line)];
        const bytes = encodeText(lines.join(end), encoding) ?? new Uint8Array();
        await writeFile(file, bytes);
        await using handle = await open(file);
        const read = await readLines(handle, all);
        expect(read.lines.length).toBe(lines.length);
        expect(read.lines.every((text, i) => text === lines[i])).toBe(true);
        expect(read.sha256).toBe(sha256(bytes));
      }),
      { numRuns: 12 },
    );
  });

  test('a line far longer than a chunk is cut with the omitted length', async () => {
    const long = '😀'.repeat(500_000);
    const { lines } = await readLines(await handleOf(`${long}\r\nnext\n`), all);
    expect(lines).toEqual([cutLine(long), 'next']);
    expect(lines[0]).toMatch(/😀 \[line cut: 998000 more characters\]$/u);
  });
});
