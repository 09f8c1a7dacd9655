import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { NARROW } from './narrow.ts';

const narrow = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).filter((sign) =>
  NARROW.test(sign),
);
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

test('narrow characters take one column each', () => {
  expect(narrow.length).toBeGreaterThan(800);
  expect(narrow.filter((sign) => stringWidth(sign) !== 1)).toEqual([]);
});

test('so does any text of them, character by character', () => {
  const text = fc.array(fc.constantFrom(...narrow), { maxLength: 40 }).map((signs) => signs.join(''));
  fc.assert(
    fc.property(text, (words) => {
      expect(NARROW.test(words)).toBe(true);
      expect(stringWidth(words)).toBe(words.length);
      expect([...segmenter.segment(words)]).toHaveLength(words.length);
    }),
  );
});

test.each(['漢', '👩‍👩‍👧', 'e\u0301', '\u00ad', '\u200b', '©\ufe0f', '\u001b[1m', '\n', '\t'])(
  '%j is not',
  (text) => {
    expect(NARROW.test(text)).toBe(false);
  },
);
