import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitTo, graphemesOf, takeColumns, widthOf } from './measure.ts';

test('widths are those of a terminal: wide characters two, combining marks zero, a joined emoji two', () => {
  expect(['abc', '中文', 'e\u0301', '👩‍👩‍👧‍👦', '🇩🇪', 'שלום'].map(widthOf)).toEqual([3, 4, 1, 2, 2, 4]);
});

test('text is cut between graphemes', () => {
  expect(graphemesOf('e\u0301👩‍👧x')).toEqual(['e\u0301', '👩‍👧', 'x']);
  expect(takeColumns('中文字', 3)).toBe('中');
  expect(takeColumns('e\u0301e\u0301', 1)).toBe('e\u0301');
});

test('a truncated row says so, and is never too wide', () => {
  expect(fitTo('a long name', 6)).toBe('a lon…');
  expect(fitTo('中文字', 4)).toBe('中…');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 20 }), (text, columns) => {
      expect(widthOf(fitTo(text, columns))).toBeLessThanOrEqual(columns);
    }),
  );
});

test('cutting always advances, and loses nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 10 }), (text, columns) => {
      let rest = text;
      let all = '';
      while (rest !== '') {
        const part = takeColumns(rest, columns);
        expect(part).not.toBe('');
        all += part;
        rest = rest.slice(part.length);
      }
      expect(all).toBe(text);
    }),
  );
});
