import { expect, onTestFinished, test } from 'vitest';
import { hasRedis, redisServer } from '../../../test/support/redis.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { createProcessKeeper } from '../../sandbox/shell/process-keeper.ts';
import type { RunTaskOptions } from '../run-options.ts';
import type { Task, TaskResult } from '../task.ts';
import { cancel, remove } from './control.ts';
import { failedResult } from './failed-result.ts';
import { fleetKeys, openFleet } from './fleet.ts';
import { jobOf, sealResult } from './messages.ts';
import { endDelivery, finishTask, reopenTask, startDelivery } from './scripts.ts';
import { submitBatch } from './submit.ts';
import { FleetWorker, type WorkerEvent } from './worker.ts';

/** Workers of a real queue, whose tasks run as the test says. */
async function labOf(concurrency: number) {
  const [{ home }, { url }] = await Promise.all([workspace(), redisServer()]);
  const fleet = await openFleet({ url, key: 'a key that all machines share' });
  const keeper = createProcessKeeper({ path: process.env.PATH });
  onTestFinished(async () => {
    await keeper.close();
    await fleet.close();
  });
  const resultOf = (task: Task, failure: TaskResult['failure']) =>
    failedResult({ task, session: 's', batch: 'b', version: '' }, { failure, reason: 'Stopped.' });
  return {
    fleet,
    resultOf,
    worker(run: (task: Task, options: RunTaskOptions) => Promise<TaskResult>) {
      const drain = new AbortController();
      const events: WorkerEvent[] = [];
      const worker = new FleetWorker({
        ...{ fleet, labels: [], concurrency, dataRoot: home, leaseMs: 600, drain: drain.signal, run },
        place: { program: [], keeper, env: {}, trees: home },
        leaving: new AbortController().signal,
        onEvent: (event) => void events.push(event),
      });
      return { running: worker.run(), drain, events };
    },
    async submit(ids: string[]) {
      const source: Task['source'] = {
        ...{ type: 'repository', repository: 'https://example.com/a.git', ref: 'HEAD' },
      };
      const tasks = ids.map(
        (id): Task => ({
          ...{ id, prompt: 'p', source, mode: 'auto', allow: [], deny: [], checks: [], checkRetries: 0 },
          ...{ labels: [], variables: {} },
        }),
      );
      const batch = { id: 'b', createdAt: '', changes: 'branch' } as const;
      await submitBatch(
        fleet,
        batch,
        tasks.map((task) => ({ task, session: 's', isRetry: false })),
      );
    },
  };
}

test.skipIf(!hasRedis)('a worker stops a running task whose batch was removed, and forgets it', async () => {
  const { fleet, resultOf, worker, submit } = await labOf(1);
  const { running, drain, events } = worker(
    (task, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(resultOf(task, 'interrupted')), { once: true });
      }),
  );
  await submit(['one']);
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

test.skipIf(!hasRedis)(
  'a worker starts the next task while a result is kept, but not one after the other',
  async () => {
    const { worker, fleet, submit, resultOf } = await labOf(1);
    const started: string[] = [];
    const keeping = new Map<string, () => void>();
    const { running, drain } = worker(async (task, { onDelivery }) => {
      started.push(task.id);
      onDelivery?.();
      await new Promise<void>((resolve) => void keeping.set(task.id, resolve));
      return resultOf(task, 'check');
    });
    await submit(['one', 'two', 'three']);
    await expect.poll(() => started).toEqual(['one', 'two']);
    await expect.poll(async () => (await (await fleet.queue([])).getJobCounts('waiting')).waiting).toBe(1);
    keeping.get('two')?.();
    await expect.poll(() => started).toEqual(['one', 'two', 'three']);
    keeping.get('one')?.();
    drain.abort();
    keeping.get('three')?.();
    await running;
  },
);

test.skipIf(!hasRedis)(
  'a delivery that is too late leaves nothing, not even in the log of the task',
  async () => {
    const { fleet, submit, resultOf } = await labOf(1);
    await submit(['one']);
    const job = jobOf(fleet, 'b', 'one');
    await startDelivery(fleet, 'b', { job, token: 'first' });
    await startDelivery(fleet, 'b', { job, token: 'second' });
    const sealed = sealResult(fleet, job, resultOf({ id: 'one' } as Task, 'check'));
    const late = { batch: 'b', job, token: 'first', sealed, entry: 'late' };
    expect(await finishTask(fleet, late)).toBe(false);
    expect(await endDelivery(fleet, job, { token: 'first', how: 'failed', entry: 'late' })).toBe(false);
    await finishTask(fleet, { ...late, token: 'second', entry: 'in time' });
    await finishTask(fleet, { ...late, token: 'second', entry: 'in time' });
    expect(await fleet.redis.lrange(fleetKeys.log(job), 0, -1)).toEqual(['in time']);
    await remove(fleet, 'b');
    await finishTask(fleet, late);
    expect(await fleet.redis.keys('*:task:*')).toEqual([]);
  },
);

test.skipIf(!hasRedis)(
  'only a task that had ended may replace its branch when it is queued again',
  async () => {
    const { fleet } = await labOf(1);
    const again = async (job: string, hasEnded: boolean) => {
      await startDelivery(fleet, 'b', { job, token: job });
      await reopenTask(fleet, { batch: 'b', job, hasEnded }, async () => undefined);
      return (await fleet.redis.hexists(fleetKeys.task(job), 'again')) === 1;
    };
    // One that was stopped at a limit may have pushed, and its worker may have been killed then.
    expect([await again('stopped', false), await again('failed', true)]).toEqual([false, true]);
  },
);
