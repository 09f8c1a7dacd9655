import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryFor, offersFor } from './offers.ts';

const namesFor = (gigabytes: number) =>
  offersFor(gigabytes * 1e9).map(({ model, why }) => `${why} ${model.name}`);

test.each([
  [1, ['recommended qwen3-0.6b']],
  [3, ['recommended qwen3-1.7b', 'smaller qwen3-0.6b']],
  [4, ['recommended qwen3-4b', 'smaller qwen3-1.7b']],
  [6, ['recommended qwen3-4b', 'smaller qwen3-1.7b', 'larger qwen2.5-coder-7b']],
  [64, ['recommended qwen3-4b', 'smaller qwen3-1.7b', 'larger qwen3-8b']],
])('with %i GB of available memory, models that fit are offered', (gigabytes, names) => {
  expect(namesFor(gigabytes)).toEqual(names);
});

test('property: whatever the memory, there is one to begin with; only the smallest may not fit', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1e11 }), (available) => {
      const offers = offersFor(available);
      const sizes = Object.fromEntries(offers.map(({ model, why }) => [why, model.bytes]));
      expect(offers[0]?.why).toBe('recommended');
      expect(sizes.smaller ?? 0).toBeLessThan(sizes.recommended ?? 0);
      expect(sizes.larger ?? Number.POSITIVE_INFINITY).toBeGreaterThan(sizes.recommended ?? 0);
      const tooLarge = offers.filter(({ model }) => memoryFor(model) > available);
      expect(tooLarge.map(({ model }) => model.name).filter((name) => name !== 'qwen3-0.6b')).toEqual([]);
      expect(offers.some(({ model }) => model.isEmbedding)).toBe(false);
    }),
  );
});
