import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LazySegmenter } from './lazy-segmenter.ts';

const signs = [
  'a',
  ' ',
  '\r',
  '\n',
  '\r\n',
  '\u0000',
  '\u00ad',
  'é',
  '©',
  '\ud83d',
  'e\u0301',
  '漢',
  '\u{f0001}',
  '𝒳',
  '👩‍👩‍👧',
  '🇩🇪',
];
const text = fc.array(fc.constantFrom(...signs), { maxLength: 12 }).map((pieces) => pieces.join(''));

test('segments are those of the runtime', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: -1, max: 14 }), (input, place) => {
      const lazy = new LazySegmenter('en', { granularity: 'grapheme' }).segment(input);
      const real = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(input);
      expect([...lazy]).toEqual([...real]);
      expect(lazy.containing(place)).toEqual(real.containing(place));
    }),
  );
});

test('words are left to the runtime', () => {
  const words = new LazySegmenter('en', { granularity: 'word' }).segment('two words');
  expect(Array.from(words, ({ segment }) => segment)).toEqual(['two', ' ', 'words']);
});
