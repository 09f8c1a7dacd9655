import fc from 'fast-check';
import { expect, test } from 'vitest';
import { paint } from '../painter/paint.ts';
import { ansiLine } from './ansi-line.ts';
import { widthOf } from './measure.ts';

const COLOR = new RegExp(`${'\u001b'}\\[\\d+(;\\d+)*m`, 'g');
const wide = { columns: 80, colors: true };

test.each([
  ['plain', [{ text: 'plain' }]],
  ['\u001b[32mok\u001b[0m x', [{ text: 'ok', style: { color: 'green' } }, { text: ' x' }]],
  ['\u001b[1;38;5;208mhot', [{ text: 'hot', style: { bold: true, color: 'ansi256(208)' } }]],
  ['\u001b[38;2;1;2;255mblue\u001b[39m.', [{ text: 'blue', style: { color: '#0102ff' } }, { text: '.' }]],
  ['\u001b[97;44mbar', [{ text: 'bar', style: { color: 'whiteBright', background: 'blue' } }]],
  [
    'a\u001b[2Jb\u001b]0;title\u0007c\u001b[5Cd\u001bce',
    [{ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }, { text: 'e' }],
  ],
])('%j', (text, line) => {
  expect(ansiLine(text, wide)).toEqual(line);
});

test('it is cut to the width, and colorless where colors are off', () => {
  expect(ansiLine('\u001b[31mabcdef\u001b[0mgh', { columns: 5, colors: true })).toEqual([
    { text: 'abcd…', style: { color: 'red' } },
  ]);
  expect(ansiLine('\u001b[31mab', { columns: 5, colors: false })).toEqual([{ text: 'ab' }]);
});

test('property: nothing but colors reaches the terminal, and the width is kept', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom(
      '\u001b[31m',
      '\u001b[2J',
      '\u001b]8;;x\u0007',
      '\u001b',
      '漢字',
      '\u009b1m',
      '\u001b[38;2;300;1;1m',
      '\u001b[999A',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (parts, columns) => {
      const line = ansiLine(parts.join(''), { columns, colors: true });
      expect(widthOf(line.map(({ text }) => text).join(''))).toBeLessThanOrEqual(columns);
      const painted = paint(line).replaceAll(COLOR, '');
      expect(painted).not.toMatch(/\p{Cc}/u);
    }),
  );
});
