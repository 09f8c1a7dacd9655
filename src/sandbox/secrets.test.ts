import { expect, test } from 'vitest';
import { secretRules } from './secrets.ts';

const cases = secretRules.flatMap((rule) => [
  ...rule.examples.hits.map((file) => ({ rule, file, hit: true })),
  ...rule.examples.misses.map((file) => ({ rule, file, hit: false })),
]);

test('every secret rule has examples of both kinds', () => {
  for (const { examples } of secretRules) {
    expect(examples.hits.length).toBeGreaterThan(0);
    expect(examples.misses.length).toBeGreaterThan(0);
  }
});

test.each(cases)('[Y08] $rule.because: $file is hit: $hit', ({ rule, file, hit }) => {
  expect(rule.match.test(file)).toBe(hit);
});

test('[Y08] no rule for reading hits what another calls a harmless look-alike', () => {
  const reading = secretRules.filter((rule) => rule.mode === 'any');
  const misses = reading.flatMap((rule) => rule.examples.misses);
  const hit = misses.filter((file) => reading.some((rule) => rule.match.test(file)));
  expect(hit).toEqual([]);
});
