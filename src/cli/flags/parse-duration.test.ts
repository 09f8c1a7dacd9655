import '../../../test/support/seed.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration } from './parse-duration.ts';

test.each([
  ['90', 90_000],
  ['90s', 90_000],
  ['1.5h', 5_400_000],
  ['1h30m', 5_400_000],
  ['1h 30 min', 5_400_000],
  ['2 hours, 5 minutes', 7_500_000],
  ['500ms', 500],
  ['7d', 604_800_000],
  ['1w', 604_800_000],
  ['10M', 600_000],
  ['0', 0],
])('%s', (text, ms) => {
  expect(parseDuration(text, 1000)).toBe(ms);
});

test.each(['', 's', '-5m', '5x', 'soon', '1h30', '10 20', '1e3', '5 m s', '1,5h'])(
  '%j is no time',
  (text) => {
    expect(parseDuration(text, 1000)).toBe(null);
  },
);

test('a bare number may be none', () => {
  expect([parseDuration('5', null), parseDuration('5m', null)]).toEqual([null, 300_000]);
});

test('any hours, minutes and seconds add up, with or without spaces', () => {
  fc.assert(
    fc.property(fc.nat(99), fc.nat(99), fc.nat(99), fc.constantFrom('', ' '), (h, m, s, space) => {
      const text = [`${h}h`, `${m}m`, `${s}s`].join(space);
      expect(parseDuration(text, 1)).toBe(((h * 60 + m) * 60 + s) * 1000);
    }),
  );
});
