import { expect, test } from 'vitest';
import { resultLimits } from './result-limits.ts';

test.each([
  [8_000, { read: 4_000, readAsked: 4_000, output: 2_666, search: 2_000, names: 2_000, reply: 4_000 }],
  [32_000, { read: 16_000, readAsked: 16_000, output: 10_666, search: 8_000, names: 8_000, reply: 16_000 }],
  [128_000, { read: 50_000, readAsked: 64_000, output: 40_000, search: 20_000, names: 9_500, reply: 64_000 }],
  [
    200_000,
    { read: 50_000, readAsked: 100_000, output: 40_000, search: 20_000, names: 9_500, reply: 100_000 },
  ],
  [
    1_000_000,
    { read: 50_000, readAsked: 100_000, output: 40_000, search: 20_000, names: 9_500, reply: 100_000 },
  ],
])('a window of %d tokens takes results of %j characters', (window, limits) => {
  expect(resultLimits(window)).toEqual(limits);
});
