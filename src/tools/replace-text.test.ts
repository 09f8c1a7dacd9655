import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findText, lineAt, replaceRanges } from './replace-text.ts';

function replaced(file: string | Buffer, old: string, text: string): string {
  const bytes = Buffer.from(file);
  return Buffer.from(replaceRanges(bytes, findText(bytes, old), text)).toString('latin1');
}

describe('[T10] replacing text in bytes', () => {
  test.each([
    ['a\nb\nc\n', 'b', 'B', 'a\nB\nc\n'],
    ['price', 'price', '$& $1 $$', '$& $1 $$'],
    ['a\r\nb\r\nc\r\n', 'a\nb', 'x\ny', 'x\r\ny\r\nc\r\n'],
    ['a\r\nb\r\nc\r\n', 'a\r\nb', 'x\r\ny', 'x\r\ny\r\nc\r\n'],
    ['a\r\nb\r\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\n'],
    ['a\r\nb', 'b', 'x\ny', 'a\r\nx\r\ny'],
    ['a\r\nb\r\n', '\nb', '!', 'a!\r\n'],
    ['a\r\nb\r\n', 'a\n', '', 'b\r\n'],
    ['a\nb\r\nc\n', 'a\nb\nc', 'x\ny', 'x\ny\n'],
    ['one\ntwo\r\nthree\r\n', 'three', 'x\ny', 'one\ntwo\r\nx\r\ny\r\n'],
    ['one\ntwo\r\nthree\r\n', 'one', 'x\ny', 'x\ny\ntwo\r\nthree\r\n'],
    ['a\nb\n', 'a\n', 'a\r\n', 'a\r\nb\n'],
    ['a\rb\r', 'b', 'c', 'a\rc\r'],
    ['aaaa', 'aa', 'b', 'bb'],
  ])('%j: %j becomes %j', (file, old, text, expected) => {
    expect(replaced(file, old, text)).toBe(expected);
  });

  test('a byte order mark and bytes that are no UTF-8 stay', () => {
    const file = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xfe, 0x62]);
    expect(replaced(file, 'a', 'x')).toBe('\xef\xbb\xbfx\xff\xfeb');
  });

  test('lines are counted from one', () => {
    expect([0, 1, 2, 3, 4].map((at) => lineAt(Buffer.from('a\n\nb'), at))).toEqual([1, 1, 2, 3, 3]);
  });
});

const piece = fc.oneof(
  fc.constantFrom('\n', '\r\n', '\r', 'a', 'b', 'ä', '😀').map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
);
const content = fc.array(piece, { maxLength: 40 }).map((pieces) => Buffer.concat(pieces));
const words = fc.string({
  unit: fc.constantFrom('a', 'b', 'ä', '😀', '\n', '$&'),
  minLength: 1,
  maxLength: 4,
});

const lf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n');

test('[T08] bytes outside the replaced ranges never change, and what is found is what was asked for', () => {
  fc.assert(
    fc.property(content, words, words, (file, old, text) => {
      const ranges = findText(file, old);
      for (const { start, end } of ranges) {
        expect(lf(file.subarray(start, end))).toBe(Buffer.from(old).toString('latin1'));
      }
      const result = Buffer.from(replaceRanges(file, ranges, text));

      let from = 0;
      let at = 0;
      for (const { start, end } of ranges) {
        expect(result.subarray(at, at + start - from).equals(file.subarray(from, start))).toBe(true);
        at += start - from;
        const put = [text, text.replaceAll('\n', '\r\n')].map((form) => Buffer.from(form));
        const used = put.find((form) => result.subarray(at, at + form.length).equals(form));
        expect(used).toBeDefined();
        at += used?.length ?? 0;
        from = end;
      }
      expect(result.subarray(at).equals(file.subarray(from))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('[T08] putting the old text back gives the old bytes', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 30 });
  fc.assert(
    fc.property(content, plain, content, (before, body, after) => {
      const file = Buffer.concat([before, Buffer.from(`<${body}>`), after]);
      const [range, ...others] = findText(file, `<${body}>`);
      fc.pre(range !== undefined && others.length === 0);
      const changed = replaceRanges(file, range ? [range] : [], '[unique]');
      fc.pre(findText(changed, '[unique]').length === 1);
      expect(
        Buffer.from(replaceRanges(changed, findText(changed, '[unique]'), `<${body}>`)).equals(file),
      ).toBe(true);
    }),
  );
});
