import { expect, onTestFinished, test } from 'vitest';
import { hasRedis, redisServer } from '../../../test/support/redis.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { createProcessKeeper } from '../../sandbox/shell/process-keeper.ts';
import type { Task } from '../task.ts';
import { cancel, remove } from './control.ts';
import { failedResult } from './failed-result.ts';
import { openFleet } from './fleet.ts';
import { submitBatch } from './submit.ts';
import { FleetWorker, type WorkerEvent } from './worker.ts';

test.skipIf(!hasRedis)('a worker stops a running task whose batch was removed, and forgets it', async () => {
  const [{ home }, { url }] = await Promise.all([workspace(), redisServer()]);
  const fleet = await openFleet({ url, key: 'a key that all machines share' });
  const keeper = createProcessKeeper({ path: process.env.PATH });
  const drain = new AbortController();
  const events: WorkerEvent[] = [];
  const worker = new FleetWorker({
    ...{ fleet, labels: [], concurrency: 1, dataRoot: home, leaseMs: 600, drain: drain.signal },
    place: { program: [], keeper, env: {}, trees: home },
    leaving: new AbortController().signal,
    run: (task, { signal }) =>
      new Promise((resolve) => {
        const queued = { task, session: 's', batch: 'b', version: '' };
        const end = () => resolve(failedResult(queued, { failure: 'interrupted', reason: 'Stopped.' }));
        signal.addEventListener('abort', end, { once: true });
      }),
    onEvent: (event) => void events.push(event),
  });
  const running = worker.run();
  onTestFinished(async () => {
    await keeper.close();
    await fleet.close();
  });
  const source: Task['source'] = { type: 'repository', repository: 'https://example.com/a.git', ref: 'HEAD' };
  const task: Task = {
    ...{ id: 'one', prompt: 'p', source, mode: 'auto', allow: [], deny: [], checks: [], checkRetries: 0 },
    ...{ labels: [], variables: {} },
  };
  const batch = { id: 'b', createdAt: '', changes: 'branch' } as const;
  await submitBatch(fleet, batch, [{ task, session: 's', isRetry: false }]);
  await expect.poll(() => events.map(({ type }) => type)).toEqual(['started']);
  await cancel(fleet, 'b', []);
  await remove(fleet, 'b');

  const end = { type: 'skipped', reason: 'Its batch was removed.' };
  await expect.poll(() => events.at(-1)).toMatchObject({ type: 'ended', task: 'b/one', end });
  drain.abort();
  await running;
  expect(await fleet.redis.keys('*:task:*')).toEqual([]);
  expect(await (await fleet.queue([])).getJobCounts('active', 'waiting', 'delayed')).toEqual({
    active: 0,
    waiting: 0,
    delayed: 0,
  });
});
