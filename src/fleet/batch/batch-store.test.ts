import '../../../test/support/seed.ts';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import type { TaskResult } from '../task.ts';
import { listBatches, OpenBatch, readBatch } from './batch-store.ts';
import { summarize } from './summary.ts';

const about = (cwd: string) => ({ cwd, jobs: 1, changes: 'branch', trust: false }) as const;

test('batches of the same minute are listed newest first, too', async () => {
  const { root } = await workspace({});
  const created: string[] = [];
  for (let i = 0; i < 8; i++) {
    const batch = await OpenBatch.create(root, [], about(root));
    batch.close();
    created.unshift(batch.state.description.id);
    for (const { createdAt } = batch.state.description; new Date().toISOString() === createdAt; )
      await pause(1);
  }
  expect(listBatches(root).map(({ description }) => description.id)).toEqual(created);
  expect(listBatches(root, 3).map(({ description }) => description.id)).toEqual(created.slice(0, 3));
});

const task = {
  ...{ id: 't', prompt: 'x', source: { type: 'folder', folder: '/' }, mode: 'auto', allow: [], deny: [] },
  ...{ checks: [], checkRetries: 0, labels: [], variables: {} },
} as const;

const outcomes = ['check', 'changes', 'setup', 'interrupted', undefined] as const;

test('what a task has cost in all its runs counts, however they ended, and whoever reads the batch', async () => {
  const { root } = await workspace({});
  const runs = fc.array(fc.record({ failure: fc.constantFrom(...outcomes), cost: fc.nat(9) }), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(runs, async (played) => {
      const created = await OpenBatch.create(root, [task as never], about(root));
      const { id } = created.state.description;
      created.close();
      let total = 0;
      /** Of the present session: what a run of it reports. */
      let inSession = 0;
      let number = 0;
      for (const { failure, cost } of played) {
        const batch = await OpenBatch.open(root, id);
        batch.retry('t');
        if (!batch.state.sessions.has('t')) {
          batch.start('t', `s${number}`);
          inSession = 0;
        }
        inSession += cost;
        total += cost;
        const costUsd = inSession;
        const startedAt = new Date(++number).toISOString();
        const run = { task: 't', status: failure ? 'failed' : 'done', answer: '', costUsd, tokens: costUsd };
        const rest = { turns: 1, startedAt, durationMs: 1, checks: [], refusals: 0, filesChanged: 0 };
        const result = {
          ...run,
          ...rest,
          labels: [],
          variables: {},
          ...(failure && { failure }),
        } as TaskResult;
        const kept = failure === 'interrupted' ? batch.interrupt(result) : batch.finish(result);
        batch.close();
        const read = readBatch(root, id);
        expect(read).toEqual({ ...batch.state, keepers: [] });
        expect([kept.costUsd, kept.tokens]).toEqual([total, total]);
        expect(read && summarize(read.tasks, read.results, read.begun).costUsd).toBe(total);
      }
    }),
    { numRuns: 40 },
  );
});

test('a retry that was killed is open: its session continues, and the result that it replaces is gone', async () => {
  const { root } = await workspace({});
  const batch = await OpenBatch.create(root, [task as never], about(root));
  batch.start('t', 'first');
  const failed = {
    task: 't',
    status: 'failed',
    failure: 'check',
    answer: '',
    costUsd: 2,
    tokens: 5,
    turns: 1,
  };
  const rest = { startedAt: 'T', durationMs: 1, checks: [], refusals: 0, filesChanged: 0 };
  batch.finish({ ...failed, ...rest, labels: [], variables: {} } as TaskResult);
  batch.retry('t');
  batch.start('t', 'second');
  batch.close();
  const read = readBatch(root, batch.state.description.id);
  expect([...(read?.results ?? [])]).toEqual([]);
  expect([...(read?.sessions ?? [])]).toEqual([['t', 'second']]);
  expect(read?.begun.get('t')).toMatchObject({ costUsd: 2, tokens: 5 });
});
