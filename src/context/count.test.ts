import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prompt, reply } from '../../test/support/histories.ts';
import { nextFactor, tokensNow } from './count.ts';

const usage = { inputTokens: 50, outputTokens: 10, cacheReadTokens: 30, cacheWriteTokens: 20 };
const counting = {
  model: 'm',
  since: 0,
  whole: 200,
  factor: 1.5,
  estimate: (some: readonly unknown[]) => 10 * some.length,
};

test('without counts from the vendor, the corrected estimate is used', () => {
  expect(tokensNow([prompt('a')], counting)).toBe(300);
});

test("the vendor's count of the last reply is used, plus an estimate of later messages", () => {
  const messages = [prompt('a'), { ...reply('b'), usage }, prompt('c')];
  expect(tokensNow(messages, counting)).toBe(50 + 10 + 30 + 20 + 15);
});

test('counts of another model, or from before the last compaction, are ignored', () => {
  const messages = [prompt('a'), { ...reply('b'), usage }, prompt('c')];
  expect(tokensNow(messages, { ...counting, model: 'other' })).toBe(300);
  expect(tokensNow(messages, { ...counting, since: 2 })).toBe(300);
});

test('implausible counts are bounded by the estimate', () => {
  const zero = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  expect(tokensNow([prompt('a'), { ...reply('b'), usage: zero }], counting)).toBe(100);
  expect(tokensNow([prompt('a'), { ...reply('b'), usage: { ...zero, inputTokens: 9e9 } }], counting)).toBe(
    400,
  );
});

test('the factor converges with every count, and stays between a half and two', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.5, max: 2, noNaN: true }),
      fc.nat(1e6),
      fc.nat(1e6),
      (factor, counted, estimated) => {
        const next = nextFactor(factor, counted, estimated);
        expect(next).toBeGreaterThanOrEqual(0.5);
        expect(next).toBeLessThanOrEqual(2);
        const real = Math.min(2, Math.max(0.5, counted / estimated));
        if (counted > 0 && estimated > 0)
          expect(Math.abs(next - real)).toBeLessThanOrEqual(Math.abs(factor - real));
      },
    ),
  );
  let factor = 1;
  for (let i = 0; i < 10; i++) factor = nextFactor(factor, 130, 100);
  expect(factor).toBeCloseTo(1.3, 2);
});
