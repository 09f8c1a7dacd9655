import { expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import { createRecall, type RecallHit } from './recall.ts';
import { createRegistry } from './registry.ts';

test('[U12] Recall reports hits with source and date, up to the requested number', async () => {
  const asked: unknown[] = [];
  const hits: RecallHit[] = [
    { where: 'note (decisions)', date: '2026-11-16', text: 'Use UTC.' },
    { where: 'session 9d923fc9 (user)', date: '2026-11-15', text: 'which zone?' },
  ];
  const recall = createRecall(async (query, { limit }) => {
    asked.push({ query, limit });
    return hits.slice(0, limit);
  });
  const { context } = await bench();
  expect(await use(recall, { query: 'time zone' }, context)).toEqual({
    success: true,
    output: '2026-11-16  note (decisions)\n  Use UTC.\n2026-11-15  session 9d923fc9 (user)\n  which zone?',
    metadata: { found: 2 },
    summary: { kind: 'count', unit: 'result', count: 2 },
  });
  await use(recall, { query: 'zone', limit: 1 }, context);
  expect(asked).toEqual([
    { query: 'time zone', limit: 8 },
    { query: 'zone', limit: 1 },
  ]);
  expect(recall.input.safeParse({ query: 'x', limit: 21 }).success).toBe(false);
});

test('no hits are not an error', async () => {
  const { context } = await bench();
  const result = await use(
    createRecall(async () => []),
    { query: 'x' },
    context,
  );
  expect(result).toEqual({
    success: true,
    output: 'Nothing found. Try other words.',
    summary: { kind: 'count', unit: 'result', count: 0 },
  });
});

test('its definition costs less than 120 tokens', () => {
  const definitions = createRegistry([createRecall(async () => [])]).definitions();
  expect(JSON.stringify(definitions).length / 3.5).toBeLessThan(120);
});
