import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Epoch, EpochCause } from '../../contract/request/epoch.ts';
import { cacheMiss, type Successive } from './cache-miss.ts';

const price = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 };
const usage = (inputTokens: number, cacheReadTokens: number, cacheWriteTokens: number) => ({
  ...{ inputTokens, cacheReadTokens, cacheWriteTokens },
  outputTokens: 9,
});
const epoch = (from: number, cause: EpochCause, stated: Epoch['stated'] = {}): Epoch => ({
  ...{ from, cause, stated },
  reader: 'v full',
  system: '',
  tools: [],
});
const START = epoch(0, 'start', { mode: 'default', 'instructions:AGENTS.md': 'a', 'skill:draw': 'b' });
const written = { usage: usage(10, 0, 100_000), epoch: START, at: 0 };
const readAll = { usage: usage(10, 0, 110_000), epoch: START, at: 60_000, model: 'm' };
const missed = (changes: Partial<Successive> = {}) =>
  cacheMiss({ before: written, now: readAll, difference: null, ...changes }, price);

test('a prompt that the cache served is no miss', () => {
  expect(missed({ now: { ...readAll, usage: usage(10, 100_000, 9000) } })).toBeNull();
  expect(missed({ now: { ...readAll, usage: usage(10, 95_000, 14_000) } })).toBeNull();
  expect(missed({ before: { ...written, usage: usage(1000, 0, 0) } })).toBeNull();
});

test('nothing is said of a vendor that reports no cache', () => {
  const silent = { usage: usage(100_000, 0, 0), epoch: START, at: 0 };
  expect(missed({ before: silent, now: { ...readAll, usage: usage(110_000, 0, 0) } })).toBeNull();
});

test('it costs what writing it again costs more than reading it', () => {
  expect(missed()).toMatchObject({ tokens: 100_010, costUsd: expect.closeTo(0.24, 3) });
  const unwritten = { ...readAll, usage: usage(110_000, 0, 0) };
  expect(missed({ now: unwritten })?.costUsd).toBeCloseTo(0.19, 3);
  expect(cacheMiss({ before: written, now: readAll, difference: null }, null)?.costUsd).toBeNull();
});

describe('the reason', () => {
  const { stated } = START;
  test.each<[string, Partial<Successive>]>([
    ['the conversation was compacted', { now: { ...readAll, epoch: epoch(5, 'compaction', stated) } }],
    ['a compaction was undone', { now: { ...readAll, epoch: epoch(5, 'uncompact', stated) } }],
    ['m continues what another model began', { now: { ...readAll, epoch: epoch(5, 'model', stated) } }],
    [
      'the vendor could not verify earlier reasoning, which was left out',
      { now: { ...readAll, epoch: epoch(5, 'repair', stated) } },
    ],
    [
      '/refresh reloaded the instructions and tools (AGENTS.md, MCP server jira)',
      {
        now: {
          ...readAll,
          epoch: epoch(5, 'refresh', {
            ...stated,
            'instructions:AGENTS.md': 'c',
            'tool:jira:search': 'd',
            'tool:jira:create': 'e',
          }),
        },
      },
    ],
    [
      '/refresh reloaded the instructions and tools (mode, AGENTS.md, skill draw, and 1 more)',
      { now: { ...readAll, epoch: epoch(5, 'refresh', { 'folder:/a': 'open' }) } },
    ],
    [
      'the tool Read differs from the request before',
      { difference: 'the tool Read differs from the request before' },
    ],
    ['61 minutes passed, longer than the vendor keeps a prompt', { now: { ...readAll, at: 61 * 60_000 } }],
    ['the vendor did not keep the prompt', {}],
  ])('%s', (reason, changes) => {
    expect(missed(changes)?.reason).toBe(reason);
  });
});

test('a miss is never larger than either prompt, nor free', () => {
  const usages = fc
    .tuple(fc.nat(200_000), fc.nat(200_000), fc.nat(200_000))
    .map(([input, read, write]) => usage(input, read, write));
  fc.assert(
    fc.property(usages, usages, (first, second) => {
      const miss = missed({ before: { ...written, usage: first }, now: { ...readAll, usage: second } });
      const size = ({ inputTokens, cacheReadTokens, cacheWriteTokens }: typeof first) =>
        inputTokens + cacheReadTokens + cacheWriteTokens;
      if (!miss) return;
      expect(miss.tokens).toBeLessThanOrEqual(Math.min(size(first), size(second) - second.cacheReadTokens));
      expect(miss.costUsd).toBeGreaterThan(0);
    }),
  );
});
