import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldPath } from '../lib/paths/fold-path.ts';
import { secretRule, secretRules } from './secrets.ts';

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

test.each(cases)('[Y08] $rule.because: $file matches: $hit', ({ rule, file, hit }) => {
  expect(rule.match.test(foldPath(file))).toBe(hit);
});

test('[Y08] no rule matches what another lists as harmless', () => {
  const misses = secretRules.flatMap((rule) => rule.examples.misses);
  expect(misses.filter((file) => secretRules.some((rule) => rule.match.test(foldPath(file))))).toEqual([]);
});

test('the fast check misses none of them, and a folder is not a file', () => {
  const hits = secretRules.flatMap((rule) => rule.examples.hits);
  expect(hits.filter((file) => secretRule(foldPath(file), 'file') === undefined)).toEqual([]);
  expect(secretRule('/p/secrets.d', 'folder')).toBeUndefined();
  expect(secretRule('/p/credentials', 'folder')).toBeUndefined();
  expect(secretRule('/p/.ssh', 'folder')?.because).toBe('the folder contains keys and credentials');
});

/** Words from the rules themselves, recombined. */
test('property: the fast and the full check agree on any name', () => {
  const words = secretRules
    .flatMap((rule) => [...rule.examples.hits, ...rule.examples.misses])
    .flatMap((file) => foldPath(file).match(/[a-z0-9]+|[^a-z0-9]/g) ?? []);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...new Set(words)), { minLength: 1, maxLength: 6 }), (parts) => {
      const file = `/p/${parts.join('')}`;
      const closely = secretRules.find(({ match }) => match.test(file));
      expect(secretRule(file, 'file')).toBe(closely);
    }),
    { numRuns: 5_000 },
  );
});

test('a very long name is judged at once', () => {
  const started = performance.now();
  for (const word of ['secret-', 'key.', '.env.', 'example_', 'service-account-', '.git/modules/']) {
    const long = `/p/${word.repeat(4096 / word.length)}`;
    for (const { match } of secretRules) match.test(long);
  }
  expect(performance.now() - started).toBeLessThan(100_000);
});
