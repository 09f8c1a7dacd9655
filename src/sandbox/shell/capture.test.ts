import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCapture } from './capture.ts';

function captured(text: string, limit: number, chunk: number): string {
  const capture = createCapture(limit);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) capture.push(bytes.subarray(at, at + chunk));
  return capture.text();
}

test('text that fits is unchanged', () => {
  expect(captured('hällo wörld', 100, 1)).toBe('hällo wörld');
  expect(captured('0123456789', 10, 3)).toBe('0123456789');
});

test('longer text loses its middle, with the omitted size', () => {
  expect(captured('0123456789abcdefghij', 10, 3)).toBe('01234\n... [10 bytes omitted] ...\nfghij');
});

test('no character is split', () => {
  expect(captured('ää€€😀😀ää€€😀😀', 13, 1)).toBe('ää\n... [28 bytes omitted] ...\n😀');
});

test('property: any text in any chunks: a true start, a true end, and the count adds up', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 8, max: 64 }),
      fc.integer({ min: 1, max: 70 }),
      (text, limit, chunk) => {
        const result = captured(text, limit, chunk);
        if (Buffer.byteLength(text) <= limit) {
          expect(result).toBe(text);
          return;
        }
        const [, head = '', left, tail = ''] =
          /^(.*)\n\.\.\. \[(\d+) bytes omitted\] \.\.\.\n(.*)$/s.exec(result) ?? [];
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        expect(Buffer.byteLength(head) + Number(left) + Buffer.byteLength(tail)).toBe(
          Buffer.byteLength(text),
        );
        expect(Number(left)).toBeLessThanOrEqual(Buffer.byteLength(text) - limit + 7);
      },
    ),
  );
});
