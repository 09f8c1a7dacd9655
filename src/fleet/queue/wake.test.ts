import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasRedis, redisServer } from '../../../test/support/redis.ts';
import { openFleet } from './fleet.ts';
import { beat, leave } from './heartbeat.ts';
import { TaskWaiter } from './wake.ts';

/** Half of the time after which a worker looks for itself. */
const AT_ONCE_MS = 5_000;
const id = 'worker-1';

/** A worker that is waiting for tasks of two queues. */
async function waiting() {
  const { url } = await redisServer();
  const fleet = await openFleet({ url, key: 'a key that all machines share' });
  const waiter = new TaskWaiter(fleet, id);
  onTestFinished(async () => {
    waiter.close();
    await fleet.close();
  });
  const state = { id, host: 'h', pid: 1, version: '1', labels: [], concurrency: 1, running: [] };
  await beat(fleet, { ...state, startedAt: '', isDraining: false, trouble: null }, 60_000);
  const queues = [await fleet.queue([]), await fleet.queue(['gpu'])] as const;
  const stop = new AbortController();
  const clients = () => fleet.redis.info('clients');
  // It was woken by its second queue, which was new.
  await waiter.wait(queues, stop.signal);
  const isWoken = async (by: () => Promise<unknown>) => {
    let isOver = false;
    const woken = waiter.wait(queues, stop.signal).then(() => {
      isOver = true;
    });
    await expect.poll(clients, { interval: 5, timeout: 60_000 }).toContain('blocked_clients:1');
    expect(isOver).toBe(false);
    await by();
    return Promise.race([woken.then(() => true), pause(AT_ONCE_MS, false, { ref: false })]);
  };
  return { fleet, queues, stop, isWoken };
}

describe.skipIf(!hasRedis)('a worker without a task', () => {
  test('is woken by a task in any of its queues, and by the first one of a new queue', async () => {
    const { fleet, queues, isWoken } = await waiting();
    for (const queue of queues) expect(await isWoken(() => queue.add('task', {}))).toBe(true);
    expect(await isWoken(() => fleet.queue(['other']))).toBe(true);
    await fleet.queue(['another']);
    await leave(fleet, id);
    expect(await fleet.redis.keys('*:wake:*')).toEqual([]);
  });

  test('is woken when a delayed task is due', async () => {
    const { queues, isWoken } = await waiting();
    // The first wake-up says when that will be.
    expect(await isWoken(() => queues[1].add('task', {}, { delay: 500 }))).toBe(true);
    expect(await isWoken(async () => undefined)).toBe(true);
  });

  test('stops waiting when it shall leave, and lets another one look for a task that woke it', async () => {
    const { fleet, queues, stop, isWoken } = await waiting();
    const marker = queues[0].toKey('marker');
    const leaveWithTask = async () => {
      const added = fleet.redis.zadd(marker, 0, '0');
      stop.abort();
      await added;
    };
    expect(await isWoken(leaveWithTask)).toBe(true);
    expect(await fleet.redis.zrange(marker, 0, -1)).toEqual(['0']);
  });
});
