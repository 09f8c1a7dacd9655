import { expect, test } from 'vitest';
import type { EndReason } from '../../contract/event.ts';
import { footerParts } from './footer.ts';
import type { RunFacts } from './run-facts.ts';

const nothing: RunFacts = {
  durationMs: 800,
  calls: 0,
  changes: [],
  checks: [],
  declined: 0,
  blocked: 0,
  todos: null,
  costUsd: 0,
};
const changed = (added: number, removed: number) => ({ path: `${added}.ts`, lines: { added, removed } });
const shown = (facts: Partial<RunFacts>, reason: EndReason = 'done', words = false) =>
  footerParts({ ...nothing, ...facts }, reason, { words })
    .map(({ text }) => text)
    .join(' · ');

test.each<[string, Partial<RunFacts>, string]>([
  [
    'everything',
    {
      durationMs: 22_000,
      calls: 9,
      changes: [changed(30, 12), changed(10, 0), changed(0, 0)],
      checks: [{ name: 'npm test', exitCode: 0 }],
      costUsd: 0.123,
    },
    'Worked for 22s · 3 files +40 −12 · npm test ✓ · $0.12',
  ],
  ['a quick answer', {}, ''],
  ['a quick answer with a price', { costUsd: 0.2 }, ''],
  ['a slow answer', { durationMs: 64_000, costUsd: 0.002 }, 'Worked for 1m 04s · <$0.01'],
  ['a quick call', { calls: 1, costUsd: null }, 'Worked for 0.8s'],
  [
    'a failing test comes first',
    {
      calls: 2,
      checks: [
        { name: 'npm run build', exitCode: 0 },
        { name: 'npm test', exitCode: 1 },
        { name: 'tsc', exitCode: null },
      ],
    },
    'Worked for 0.8s · npm test ✗ exit 1 · tsc ✗ stopped · npm run build ✓',
  ],
  [
    'many checks',
    { checks: Array.from({ length: 6 }, (_, i) => ({ name: `make test${i}`, exitCode: 0 })) },
    'Worked for 0.8s · make test0 ✓ · make test1 ✓ · make test2 ✓ · make test3 ✓ · +2 more',
  ],
  ['refused calls', { calls: 3, declined: 1, blocked: 2 }, 'Worked for 0.8s · 1 declined · 2 blocked'],
  ['binary files, and too many to count', { changes: [changed(0, 0)] }, 'Worked for 0.8s · 1 file'],
  ['uncounted lines', { changes: [changed(4, 1), { path: 'b', lines: null }] }, 'Worked for 0.8s · 2 files'],
  ['open todos', { calls: 2, todos: { open: 2, total: 5 } }, 'Worked for 0.8s · 2 of 5 todos open'],
  ['finished todos', { calls: 2, todos: { open: 0, total: 5 } }, 'Worked for 0.8s'],
])('%s', (_, facts, text) => {
  expect(shown(facts)).toBe(text);
});

test.each<EndReason>(['interrupted', 'error'])('%s: only what it has left behind', (reason) => {
  expect(shown({ durationMs: 60_000, calls: 3 }, reason)).toBe('');
  expect(shown({ calls: 3, changes: [changed(1, 0)] }, reason)).toBe('Worked for 0.8s · 1 file +1');
});

test('in words for those who listen', () => {
  const checks = [
    { name: 'npm test', exitCode: 0 },
    { name: 'tsc', exitCode: 2 },
  ];
  expect(shown({ checks, changes: [changed(2, 1)] }, 'done', true)).toBe(
    'Worked for 0.8s · 1 file, 2 lines added, 1 line removed · tsc failed, exit 2 · npm test passed',
  );
});

test('what failed is marked', () => {
  const checks = [{ name: 'npm test', exitCode: 1 }];
  expect(footerParts({ ...nothing, checks }, 'done').filter(({ bad }) => bad)).toEqual([
    { text: 'npm test ✗ exit 1', bad: true },
  ]);
});
