import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatLimit,
  formatUsd,
  type Limit,
  limitInPrompt,
  limitProblem,
  parseLimit,
  parseLimits,
} from './limit.ts';

describe('[Z14] parsing a limit', () => {
  test.each<[string, Limit]>([
    ['$5', { unit: 'usd', amount: 5 }],
    ['$ 0.50', { unit: 'usd', amount: 0.5 }],
    ['5 dollars', { unit: 'usd', amount: 5 }],
    ['2.5 USD', { unit: 'usd', amount: 2.5 }],
    ['$1,200', { unit: 'usd', amount: 1200 }],
    ['+500k', { unit: 'tokens', amount: 500_000 }],
    ['500k tokens', { unit: 'tokens', amount: 500_000 }],
    ['2M tokens', { unit: 'tokens', amount: 2_000_000 }],
    ['1.5m', { unit: 'tokens', amount: 1_500_000 }],
    ['1,500,000', { unit: 'tokens', amount: 1_500_000 }],
    ['40 turns', { unit: 'turns', amount: 40 }],
    ['1 turn', { unit: 'turns', amount: 1 }],
  ])('%s', (text, limit) => {
    expect(parseLimit(text)).toEqual(limit);
  });

  test.each([
    '',
    '$',
    'much',
    '-5',
    '0',
    '$0',
    '1,5',
    '12,34',
    '5 apples',
    '$5 tokens',
    '$5 turns',
    '5 k m',
    '1e9',
    '9'.repeat(20),
    '0.0000001 usd',
  ])('%j is not a limit', (text) => {
    expect(parseLimit(text)).toBeNull();
  });

  test('several at once', () => {
    expect(parseLimits('$5 and 40 turns')).toEqual([
      { unit: 'usd', amount: 5 },
      { unit: 'turns', amount: 40 },
    ]);
    expect(parseLimits('$5 and more')).toBeNull();
  });

  test('property: a formatted limit parses back to the same limit', () => {
    const limit = fc.oneof(
      fc.record({
        unit: fc.constantFrom('tokens' as const, 'turns' as const),
        amount: fc.integer({ min: 1, max: 9_000_000_000 }),
      }),
      fc
        .integer({ min: 1, max: 100_000_000_000 })
        .map((micros): Limit => ({ unit: 'usd', amount: micros / 1e6 })),
    );
    fc.assert(
      fc.property(limit, (one) => {
        expect(parseLimit(formatLimit(one))).toEqual(one);
      }),
    );
  });

  test('property: parsing never throws and yields amounts above zero', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const limit = parseLimit(text);
        expect(limit === null || limit.amount > 0).toBe(true);
      }),
    );
  });

  test.each<[string, Limit | null]>([
    ['fix the tests +500k', { unit: 'tokens', amount: 500_000 }],
    ['fix the tests\n+$2 ', { unit: 'usd', amount: 2 }],
    ['fix the tests +2M', { unit: 'tokens', amount: 2_000_000 }],
    ['shift the offset by +5', null],
    ['+500k', null],
    ['the price+500k', null],
    ['+500k is too much', null],
    ['fix the tests +2M tokens', { unit: 'tokens', amount: 2_000_000 }],
    ['fix the tests +40 turns.', { unit: 'turns', amount: 40 }],
    ['fix the tests and spend at most $5.', { unit: 'usd', amount: 5 }],
    ['spend up to 5 dollars', { unit: 'usd', amount: 5 }],
    ['fix the tests, budget: 1,500,000 tokens', { unit: 'tokens', amount: 1_500_000 }],
    ['fix the tests with a budget of 2M tokens', { unit: 'tokens', amount: 2_000_000 }],
    ['make the summary at most 2000 tokens', null],
    ['move the label by +3 tokens', null],
    ['where do we spend 3 seconds', null],
    ['the order cost me $5', null],
    ['add +1.2.3k', null],
  ])('in the prompt %j', (prompt, limit) => {
    expect(limitInPrompt(prompt)).toEqual(limit);
  });

  test.each([
    [0, '$0.00'],
    [5, '$5.00'],
    [1234.5, '$1,234.50'],
    [0.0042, '$0.0042'],
    [0.000021, '$0.000021'],
  ])('%d dollars are formatted as %s', (amount, text) => {
    expect(formatUsd(amount)).toBe(text);
  });
});

test.each([
  ['$5', null],
  ['500k', null],
  ['1,500,000', null],
  ['5 tokens', null],
  ['$5 and 40 turns', null],
  ['5', "5 what? Write '$5', '5k tokens' or '5 turns'."],
  ['40 turns and 0.5', "0.5 what? Write '$0.5', '0.5k tokens' or '0.5 turns'."],
  ['five', "Use a limit such as '$5', '500k tokens' or '40 turns'."],
])('what is wrong with %s as a limit that somebody writes', (text, problem) => {
  expect(limitProblem(text)).toBe(problem);
});
