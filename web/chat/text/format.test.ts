import { expect, test } from 'vitest';
import { ago, amount, duration, money, shortPath } from './format.ts';

test.each([
  [0, '0.0s'],
  [9_949, '9.9s'],
  [9_951, '10s'],
  [59_600, '1m 00s'],
  [185_000, '3m 05s'],
])('%i ms is %s', (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [12_345, '12k'],
  [9_960, '10k'],
  [999_600, '1M'],
  [1_250_000, '1.3M'],
])('%i tokens are %s', (count, words) => {
  expect(amount(count)).toBe(words);
});

test.each([
  [0, 'USD', '$0.00'],
  [0.004, 'USD', '<$0.01'],
  [1.239, 'USD', '$1.24'],
  [2, 'EUR', '2.00 EUR'],
])('%d %s is %s', (value, currency, words) => {
  expect(money(value, currency)).toBe(words);
});

test.each([
  ['2026-11-18T11:59:30Z', 'just now'],
  ['2026-11-18T11:55:00Z', '5m ago'],
  ['2026-11-18T09:00:00Z', '3h ago'],
  ['2026-11-16T11:00:00Z', '2d ago'],
  ['2026-10-01T11:00:00Z', '2026-10-01'],
  ['2026-11-18T12:00:05Z', 'just now'],
  ['no date', ''],
])('%s was %s', (time, words) => {
  expect(ago(Date.parse(time), Date.parse('2026-11-18T12:00:00Z'))).toBe(words);
});

test('a path in the folder of the session is short', () => {
  expect([shortPath('/a/b/c.ts', '/a/b'), shortPath('/a/bc.ts', '/a/b'), shortPath('x.ts', '')]).toEqual([
    'c.ts',
    '/a/bc.ts',
    'x.ts',
  ]);
});
