import fc from 'fast-check';
import { expect } from 'vitest';
import { sweep } from '../../../../test/support/soak.ts';
import { after, before, graphemesOf, settled, settledBack } from './graphemes.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Characters that combine with others in every known way, and those that do not. */
const letters = fc.constantFrom(
  ...[
    'a',
    ' ',
    'é',
    'ﬁ',
    'Ж',
    'あ',
    'ア',
    'ー',
    '漢',
    '한',
    '\u1112',
    '\u1161',
    '\u11ab',
    '゛',
    '\u3099',
    'ﾞ',
  ],
  ...[
    'e\u0301',
    '\u0301',
    '\u200d',
    '\ufe0f',
    '👨',
    '👩‍💻',
    '🏽',
    '🇩',
    '🇪',
    '1\ufe0f\u20e3',
    '©',
    '\u0600',
    'ن',
  ],
  ...['क्ष', 'ि', 'ํ', 'ก', '\u{e0067}', '𝒳', '\ud83d'],
);
const lines = fc.array(fc.oneof(letters, fc.string({ unit: 'binary', maxLength: 2 })), { maxLength: 12 });

sweep([500, 3_000])('a line is split into the graphemes that Unicode defines (%i runs)', (numRuns) => {
  fc.assert(
    fc.property(lines, (pieces) => {
      const line = pieces.join('').replaceAll(/[\n\r]|[\u{100000}-\u{10ffff}]/gu, '');
      expect(graphemesOf(line)).toEqual(Array.from(segmenter.segment(line), ({ segment }) => segment));
    }),
    { numRuns },
  );
});

sweep([25, 100])('steps forward and back hit the same boundaries (%i runs)', (numRuns) => {
  fc.assert(
    fc.property(lines, lines, (one, two) => {
      const text = [one, two].map((pieces) => pieces.join('').replaceAll(/[\n\r]/g, '')).join('\n');
      const forth = [0];
      while ((forth.at(-1) ?? 0) < text.length) forth.push(after(text, forth.at(-1) ?? 0));
      const back = [text.length];
      while ((back.at(-1) ?? 0) > 0) back.push(before(text, back.at(-1) ?? 0));
      expect(back.toReversed()).toEqual(forth);
      for (let at = 0; at <= text.length; at++) {
        expect(settled(text, at)).toBe(forth.find((place) => place >= at));
        expect(settledBack(text, at)).toBe(forth.findLast((place) => place <= at));
      }
    }),
    { numRuns },
  );
});
