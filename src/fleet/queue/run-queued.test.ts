import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasRedis, redisServer } from '../../../test/support/redis.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { OpenBatch } from '../batch/batch-store.ts';
import type { Task } from '../task.ts';
import { failedResult } from './failed-result.ts';
import { fleetKeys, openFleet } from './fleet.ts';
import { beat } from './heartbeat.ts';
import { jobOf, sealResult } from './messages.ts';
import { runQueuedBatch } from './run-queued.ts';
import { finishTask, startDelivery } from './scripts.ts';

/** A batch of these tasks in a queue without workers. */
async function queued(ids: readonly string[]) {
  const [{ home }, { url }] = await Promise.all([workspace(), redisServer()]);
  const fleet = await openFleet({ url, key: 'a key that all machines share' });
  const tasks = ids.map(
    (id): Task => ({
      ...{
        id,
        prompt: 'p',
        source: { type: 'repository', repository: 'https://example.com/a.git', ref: 'HEAD' },
      },
      ...{ mode: 'auto', allow: [], deny: [], checks: [], checkRetries: 0, labels: [], variables: {} },
    }),
  );
  const batch = await OpenBatch.create(home, tasks, {
    cwd: home,
    jobs: 1,
    changes: 'branch',
    queue: url,
    trust: false,
  });
  onTestFinished(async () => {
    batch.close();
    await fleet.close();
  });
  const { id } = batch.state.description;
  const queue = await fleet.queue([]);
  const troubles: string[] = [];
  const run = (signal = new AbortController().signal) =>
    runQueuedBatch(batch, {
      ...{ fleet, signal, retry: 'open', store: undefined, quotas: {}, traceparent: undefined, env: {} },
      onEvent: () => undefined,
      onTrouble: (text) => void troubles.push(text),
    });
  const waiting = () => queue.getJobCountByTypes('waiting');
  /** As a worker would. */
  const fails = async (task: Task, failure: 'setup' | 'check') => {
    const [job, token] = [jobOf(fleet, id, task.id), randomUUID()];
    await startDelivery(fleet, id, { job, token });
    const result = failedResult({ task, session: 's', batch: id, version: '' }, { failure, reason: 'No.' });
    const sealed = sealResult(fleet, job, result);
    await finishTask(fleet, { batch: id, job, token, sealed, isDead: failure === 'setup' });
    await queue.remove(job);
  };
  return { fleet, batch, tasks, run, waiting, fails, queue, troubles };
}

describe.skipIf(!hasRedis)('a queued batch', () => {
  test('stops when the last tasks all failed for the same kind of trouble, and cancels the rest', async () => {
    const { batch, tasks, run, waiting, fails } = await queued(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    const ended = run();
    await expect.poll(waiting).toBe(8);
    for (const [i, failure] of (['setup', 'check', 'setup', 'setup', 'setup', 'setup'] as const).entries())
      await fails(tasks[i] as Task, failure);
    await expect.poll(() => batch.state.results.size).toBe(6);
    expect(await waiting()).toBe(2);
    await fails(tasks[6] as Task, 'setup');

    expect(await ended).toEqual({ type: 'trouble', reason: 'No.' });
    expect(batch.state.results.size).toBe(7);
    expect(await waiting()).toBe(0);
  });

  test('queues tasks again that the server lost, also if it lost the list of them', async () => {
    const { fleet, batch, tasks, run, waiting, fails, queue, troubles } = await queued(['a', 'b', 'c', 'd']);
    const { id } = batch.state.description;
    const ended = run();
    await expect.poll(waiting).toBe(4);
    await fails(tasks[0] as Task, 'check');
    // One job with its place in the queue, and one without.
    await queue.remove(jobOf(fleet, id, 'b'));
    await fleet.redis.del(queue.toKey(jobOf(fleet, id, 'c')));
    await fleet.redis.del(fleetKeys.batch(id).jobs, ...(await fleet.redis.keys('*:budget:*')));

    await expect.poll(() => troubles, { timeout: 30_000 }).toHaveLength(1);
    expect(troubles).toEqual(['The Redis server lost 2 tasks of this batch. Queued again.']);
    expect(await waiting()).toBe(3);
    const jobs = (await queue.getJobs(['waiting'])).map(({ id }) => id);
    expect(jobs.toSorted()).toEqual(['b', 'c', 'd'].map((task) => jobOf(fleet, id, task)).toSorted());
    for (const task of tasks.slice(1)) await fails(task, 'check');
    expect(await ended).toEqual({ type: 'complete' });
    expect([...batch.state.results.keys()]).toEqual(['a', 'b', 'c', 'd']);
  });

  test('says when all workers have paused', async () => {
    const { fleet, run, troubles } = await queued(['a']);
    const about = { host: 'h', pid: 1, version: '1', labels: [], concurrency: 1, running: [], startedAt: '' };
    for (const id of ['one', 'two'])
      await beat(fleet, { ...about, id, isDraining: false, trouble: 'The disk is full.' }, 60_000);
    const stop = new AbortController();
    const ended = run(stop.signal);
    await expect
      .poll(() => troubles, { timeout: 30_000 })
      .toEqual([
        'Workers have paused, because their last tasks all failed: The disk is full. They try again now and then.',
      ]);
    stop.abort();
    expect(await ended).toEqual({ type: 'interrupted' });
  });
});
