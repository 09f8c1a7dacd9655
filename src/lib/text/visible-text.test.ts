import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactLine, exactText, hangingRows, visibleLine, visibleText } from './visible-text.ts';

test('a control character is shown, not interpreted', () => {
  expect(visibleText('ls\u001b[2J\u0007\u007f\u009b31m\rrm')).toBe('ls␛[2J␇␡<U+009B>31m␍rm');
});

test('a character that reorders, hides or joins text is named', () => {
  expect(visibleText('a\u202eb\u200bc\u2066d\ufeff')).toBe('a<U+202E>b<U+200B>c<U+2066>d<U+FEFF>');
});

test('ordinary text in any script is unchanged, including joined emoji', () => {
  const text = 'naïve — 日本語 שלום 👩‍🚀 e\u0301\n\tx';
  expect(visibleText(text)).toBe(text);
});

test('a newline in a name does not start a row of ours', () => {
  expect(visibleLine('a.txt\nAllow: y\t?')).toBe('a.txt ⏎ Allow: y ?');
});

test('property: no output can control a terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visibleText(text)).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
      expect(visibleLine(text)).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test('property: in text to approve nothing is invisible, and showing it again does not change it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(exactText(text)).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|\p{Default_Ignorable_Code_Point}|(?! )\p{Zs}/u);
      expect(exactLine(text)).not.toContain('\n');
      expect(exactText(exactText(text))).toBe(exactText(text));
    }),
  );
});

test('ordinary commands and names to approve are unchanged', () => {
  const texts = [
    'rm -rf build && npm test',
    'cat src/naïve.ts',
    'echo "привет, мир"',
    'Edit 日本語.md',
    'grep α Ω.txt',
  ];
  expect(texts.map(exactLine)).toEqual(texts);
});

test('property: rows are never wider than the terminal, and joined they are the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 8, max: 90 }), (text, columns) => {
      const rows = hangingRows(text, { prefix: '  | ', columns });
      for (const row of rows) expect([...row].length).toBeLessThanOrEqual(columns);
      expect([rows[0], ...rows.slice(1).map((row) => row.slice(4))].join('')).toBe(text);
    }),
  );
});
