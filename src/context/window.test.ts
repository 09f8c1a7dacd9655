import fc from 'fast-check';
import { expect, test } from 'vitest';
import { budgetOf, limitsOf } from './window.ts';

test('[K01] [Y04] a window of 128K is divided as documented, with 1K in reserve', () => {
  const budget = budgetOf(128_000);
  expect(budget).toEqual({
    system: 2000,
    tools: 5000,
    summary: 10_000,
    recent: 30_000,
    files: 40_000,
    response: 40_000,
  });
  expect(Object.values(budget).reduce((sum, share) => sum + share)).toBe(127_000);
});

test('[K02] [N07] compaction starts at nine tenths of the space that an answer leaves', () => {
  expect(limitsOf(128_000, { threshold: 0.9, maxOutput: 4096 })).toEqual({
    room: 123_904,
    compactAt: 111_513,
    target: 78_059,
    prepareAt: 92_928,
  });
});

test.each([
  [4096, 1024, 0.78],
  [8192, 2048, 0.78],
  [32_768, 8192, 0.78],
  [128_000, 16_384, 0.78],
  [200_000, 64_000, 0.78],
  [400_000, 128_000, 0.82],
  [1_000_000, 128_000, 0.87],
])('a window of %i whose model writes at most %i is used to its end', (window, maxOutput, share) => {
  const { room, compactAt } = limitsOf(window, { threshold: 0.9, maxOutput });
  expect(compactAt / window).toBeGreaterThan(share);
  expect(compactAt).toBe(Math.floor(room * 0.9));
  // At the latest point an answer still has a tenth of the space, plus the reserve.
  expect(window - compactAt).toBeGreaterThan(Math.min(maxOutput, window / 8));
});

test('limits are ordered for every window', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1000, max: 2_000_000 }),
      fc.double({ min: 0.1, max: 1, noNaN: true }),
      (window, threshold) => {
        const { compactAt, target, prepareAt } = limitsOf(window, { threshold, maxOutput: 32_000 });
        expect(target).toBeLessThan(compactAt);
        expect(prepareAt).toBeLessThanOrEqual(compactAt);
        expect(compactAt).toBeLessThan(window);
      },
    ),
  );
});
