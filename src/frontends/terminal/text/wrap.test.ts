import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Line } from '../view/types.ts';
import { chop, widthOfLine, wrap } from './wrap.ts';

const red = { color: 'red' };
const textOf = (lines: readonly Line[]) => lines.map((line) => line.map(({ text }) => text).join(''));
const spans = fc.array(
  fc.record({
    text: fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replaceAll(/[\p{Cc}\n]/gu, '')),
  }),
);
const widths = fc.integer({ min: 8, max: 20 });

test('rows are wrapped between words, and a style continues in the next row', () => {
  expect(wrap([{ text: 'one ' }, { text: 'two three', style: red }], 8)).toEqual([
    [{ text: 'one ' }, { text: 'two', style: red }],
    [{ text: 'three', style: red }],
  ]);
});

test('a word of several styles is one word', () => {
  expect(textOf(wrap([{ text: 'aaa b' }, { text: 'old', style: red }], 6))).toEqual(['aaa', 'bold']);
});

test('a word wider than a row is cut, and an empty line is a row', () => {
  expect(textOf(wrap([{ text: 'ab abcdefghij\n\nx' }], 4))).toEqual(['ab', 'abcd', 'efgh', 'ij', '', 'x']);
});

test('closing punctuation does not start a row', () => {
  expect(textOf(wrap([{ text: '中文字。中' }], 6))).toEqual(['中文', '字。中']);
});

test('no row is too wide, and no character is lost', () => {
  fc.assert(
    fc.property(spans, widths, (line, width) => {
      const rows = wrap(line, width);
      for (const row of rows) expect(widthOfLine(row)).toBeLessThanOrEqual(width);
      const letters = (texts: string[]) => texts.join('').replaceAll(' ', '');
      expect(letters(textOf(rows))).toBe(letters(textOf([line])));
    }),
  );
});

test('chopped code keeps every space', () => {
  fc.assert(
    fc.property(spans, widths, (line, width) => {
      const rows = chop(line, width);
      for (const row of rows) expect(widthOfLine(row)).toBeLessThanOrEqual(width);
      expect(textOf(rows).join('')).toBe(textOf([line]).join(''));
    }),
  );
});
