import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFinder, type Hit } from './find-literals.ts';

/** The reference implementation: at each position the longest literal that starts there. */
function findPlainly(literals: readonly string[], text: string): Hit[] {
  const hits: Hit[] = [];
  for (let start = 0; start < text.length; ) {
    const fits = literals
      .map((literal, place) => ({ literal, place }))
      .filter(({ literal }) => text.startsWith(literal, start))
      .sort((a, b) => b.literal.length - a.literal.length);
    const [first] = fits;
    if (first) hits.push({ start, literal: first.place });
    start += first?.literal.length ?? 1;
  }
  return hits;
}

// Few letters, so that literals overlap, are prefixes of each other and nearly match.
const letters = (limits: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'é'), ...limits });

test('finds the same as the reference implementation', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(letters({ minLength: 5, maxLength: 9 }), { maxLength: 12 }),
      letters({ minLength: 0, maxLength: 200 }),
      (literals, text) => {
        expect(createFinder(literals, 5)(text)).toEqual(findPlainly(literals, text));
      },
    ),
    { numRuns: 500 },
  );
});
