import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitModel, memoryNeeded, threadsFor } from './fit.ts';
import type { GgufFacts } from './gguf.ts';

const GB = 1024 ** 3;

/** Roughly a model with four billion parameters at four bits. */
const facts: GgufFacts = {
  file: '/m.gguf',
  bytes: 2.5 * GB,
  modified: 0,
  architecture: 'qwen3',
  name: null,
  license: null,
  quantisation: 'Q4_K_M',
  contextLength: 40_960,
  layers: 36,
  cacheBytesPerToken: 147_456,
  isEmbedding: false,
  chatTemplate: null,
};

test('the window shrinks with the memory, but never below what a conversation needs', () => {
  const windows = [64, 12, 8, 6, 4, 1].map(
    (gigabytes) => fitModel(facts, { freeBytes: gigabytes * GB, cores: 8 }).contextSize,
  );
  expect(windows).toEqual([32_768, 32_768, 32_768, 16_384, 4096, 2048]);
});

test("the user's window setting is used if it fits", () => {
  const room = { freeBytes: 16 * GB, cores: 4 };
  expect(fitModel(facts, room, 8192).contextSize).toBe(8192);
  expect(fitModel(facts, room, 1000).contextSize).toBe(1000);
});

test('one core is left for the rest, and there is always one thread', () => {
  expect([1, 2, 8].map(threadsFor)).toEqual([1, 1, 7]);
});

test('whatever the machine, the model supports the window, and it fits or is the smallest', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 64 * GB }),
      fc.integer({ min: 512, max: 262_144 }),
      (freeBytes, contextLength) => {
        const model = { ...facts, contextLength };
        const { contextSize, batchSize } = fitModel(model, { freeBytes, cores: 2 });
        expect(contextSize).toBeLessThanOrEqual(contextLength);
        expect(contextSize).toBeGreaterThanOrEqual(Math.min(2048, contextLength));
        expect(batchSize).toBeLessThanOrEqual(512);
        if (contextSize > 2048) expect(memoryNeeded(model, contextSize)).toBeLessThan(freeBytes);
      },
    ),
  );
});
