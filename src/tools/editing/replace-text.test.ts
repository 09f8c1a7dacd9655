import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findText, flatten, lineAt, replaceRanges, startOfLine, withoutOverlaps } from './replace-text.ts';

function replaced(file: string, old: string, text: string): string {
  const flat = flatten(file);
  return replaceRanges(flat, withoutOverlaps(findText(flat, old), 'first'), text);
}

describe('[T10] replacing text, ignoring line endings', () => {
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
    ['a\nb\n', 'a\n', 'a\r\n', 'a\nb\n'],
    ['a\rb\r', 'b', 'c', 'a\rc\r'],
    ['a\rb\rc', 'a\nb', 'x\ny\nz', 'x\ry\rz\rc'],
    ['a\nb\rc\r\nd', 'a\nb\nc\nd', 'a\nB\nc\nd', 'a\nB\rc\r\nd'],
    ['a\nb\rc\r\nd', 'b\nc\nd', '1\n2\n3\n4', 'a\n1\r2\r\n3\r\n4'],
    ['aaaa', 'aa', 'b', 'bb'],
    ['a\rb\nc', 'a\nb\nc', 'x\n\ny', 'x\r\ry'],
    ['a\rb\nc', 'b', '\n', 'a\r\r\n\nc'],
    ['\rbb\n', 'b', '\n', '\r\r\r\n\n'],
    ['a\rb\nc', 'b', '', 'a\r\n\nc'],
    ['a.a\r\na.a\n', '.', '\n', 'a\r\na\r\na\na\n'],
  ])('%j: %j becomes %j', (file, old, text, expected) => {
    expect(replaced(file, old, text)).toBe(expected);
  });

  test('lines are counted from one, by CR if there are no other line endings', () => {
    const lines = (text: string) => [0, 1, 2, 3, 4].map((at) => lineAt(flatten(text), at));
    expect(lines('a\n\nb')).toEqual([1, 1, 2, 3, 3]);
    expect(lines('a\r\rb')).toEqual([1, 1, 2, 3, 3]);
    expect(lines('a\r\n\rb')).toEqual([1, 1, 2, 2, 2]);
  });

  test('many matches on one huge line are replaced fast enough', () => {
    const file = `${'.'.repeat(200_000)}\r\n`;
    const started = performance.now();
    expect(replaced(file, '.', '\n') === '\r\n'.repeat(200_001)).toBe(true);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

const content = fc.string({ unit: fc.constantFrom('\n', '\r\n', '\r', 'a', 'b', '\xff'), maxLength: 40 });
const words = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$&'), minLength: 1, maxLength: 4 });
const flat = (text: string) => text.replaceAll(/\r\n?/g, '\n');

test('[T08] property: matches equal the wanted text, and nothing outside them changes', () => {
  fc.assert(
    fc.property(content, words, fc.option(words, { nil: '' }), (file, old, text) => {
      const { plain, doubled } = flatten(file);
      const original = (at: number) => at + doubled.filter((place) => place < at).length;
      const ranges = findText(flatten(file), old);
      for (const range of ranges) {
        expect(plain.slice(range.start, range.end)).toBe(old);
        const head = file.slice(0, original(range.start));
        const tail = file.slice(original(range.end));
        const result = replaceRanges(flatten(file), [range], text);
        expect(result.startsWith(head) && result.endsWith(tail)).toBe(true);
      }
      expect(flat(replaced(file, old, text))).toBe(plain.replaceAll(old, () => text));
    }),
    { numRuns: 3_000 },
  );
});

test('[T08] property: putting the old text back restores the old file', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 30 });
  fc.assert(
    fc.property(content, plain, content, (before, body, after) => {
      const file = `${before}<${body}>${after}`;
      expect(replaced(replaced(file, `<${body}>`, '[unique]'), '[unique]', `<${body}>`)).toBe(file);
    }),
  );
});

test('[T08] property: the position before the start of a line is on the previous line', () => {
  fc.assert(
    fc.property(content, fc.integer({ min: 1, max: 12 }), (file, line) => {
      const text = flatten(file);
      const starts = [...Array(text.plain.length + 1).keys()].filter((at) => lineAt(text, at) === line);
      expect(startOfLine(text, line)).toBe(starts[0] ?? null);
    }),
    { numRuns: 1_000 },
  );
});

test('[T08] property: every occurrence is found, including overlapping ones', () => {
  expect(findText(flatten('aXaXaXa'), 'aXa').map(({ start }) => start)).toEqual([0, 2, 4]);
  fc.assert(
    fc.property(content, words, (file, old) => {
      const { plain } = flatten(file);
      const starts = [...plain].map((_, at) => at).filter((at) => plain.startsWith(old, at));
      expect(findText(flatten(file), old)).toEqual(
        starts.map((start) => ({ start, end: start + old.length })),
      );
    }),
    { numRuns: 3_000 },
  );
});

test('a long text that overlaps itself everywhere is found fast enough', () => {
  const started = performance.now();
  expect(findText(flatten('a'.repeat(1_000_000)), 'a'.repeat(500_000))).toHaveLength(500_001);
  expect(performance.now() - started).toBeLessThan(20_000);
});
