import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

const words = ['model', 'mode', 'models', 'maxTurns', 'theme'];

describe('nearest', () => {
  test.each([
    ['modle', 'model'],
    ['themee', 'theme'],
    ['modell', 'model'],
    ['maxturns', 'maxTurns'],
    ['max_turns', 'maxTurns'],
    ['thme', 'theme'],
    ['colour', null],
    ['', null],
  ])('of %j is %j', (word, expected) => {
    expect(nearest(word, words)).toBe(expected);
  });

  test('of a candidate is the candidate itself', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }), (candidates) => {
        const [first = ''] = candidates;
        expect(nearest(first, candidates)?.toLowerCase()).toBe(first.toLowerCase());
      }),
    );
  });
});

test('a suggestion is a sentence, or empty if nothing is close', () => {
  expect([didYouMean('thme', words), didYouMean('colour', words)]).toEqual([' Did you mean theme?', '']);
});
