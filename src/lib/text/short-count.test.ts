import { expect, test } from 'vitest';
import { shortCount } from './short-count.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1k'],
  [6120, '6.1k'],
  [9949, '9.9k'],
  [9950, '10k'],
  [123_750, '124k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [1_048_576, '1M'],
  [2_500_000, '2.5M'],
])('%i is written as %s', (count, text) => {
  expect(shortCount(count)).toBe(text);
});
