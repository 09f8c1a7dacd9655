import * as z from 'zod';
import { type Fleet, fleetKeys, openText, sealText } from './fleet.ts';

const workerSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  labels: z.array(z.string()),
  concurrency: z.number(),
  startedAt: z.string(),
  /** BATCH/TASK of each running task. */
  running: z.array(z.string()),
  isDraining: z.boolean(),
  /** Why its last tasks failed, if it has paused for that. */
  trouble: z.string().nullable(),
});

/** What a worker says about itself. */
export type WorkerState = z.infer<typeof workerSchema>;

/** A worker that has not been heard of for so many intervals is gone. */
const MISSED = 3;
const DRAIN_MS = 86_400_000;

/** How often a worker with such a lease is heard of. */
export const heartbeatMs = (leaseMs: number) => leaseMs / 3;

/** Returns whether the worker was asked to drain. */
export async function beat(
  { redis, seal }: Fleet,
  state: WorkerState,
  everyMs: number,
): Promise<{ isAskedToDrain: boolean }> {
  const now = Date.now();
  const { id } = state;
  const results = await redis
    .multi()
    .set(fleetKeys.worker(id), sealText(seal, id, JSON.stringify(state)), 'PX', Math.ceil(MISSED * everyMs))
    .zadd(fleetKeys.workers, now, id)
    .zremrangebyscore(fleetKeys.workers, '-inf', now - 10 * MISSED * everyMs)
    .pexpire(fleetKeys.workers, Math.ceil(10 * MISSED * everyMs))
    .sismember(fleetKeys.drain, id)
    .exec();
  return { isAskedToDrain: results?.[4]?.[1] === 1 };
}

export async function leave({ redis }: Fleet, id: string): Promise<void> {
  await redis
    .multi()
    .unlink(fleetKeys.worker(id), fleetKeys.wake(id))
    .zrem(fleetKeys.workers, id)
    .srem(fleetKeys.drain, id)
    .exec();
}

/** Those that are alive; the others are forgotten. */
export async function readWorkers(fleet: Fleet): Promise<WorkerState[]> {
  return (await readStates(fleet)).flatMap((state) => state ?? []);
}

/** How many workers are alive that have another key or version. */
export async function countStrangers(fleet: Fleet): Promise<number> {
  return (await readStates(fleet)).filter((state) => state === null).length;
}

/** Null for one that cannot be read. */
async function readStates({ redis, seal }: Fleet): Promise<(WorkerState | null)[]> {
  const ids = await redis.zrange(fleetKeys.workers, 0, -1);
  const sealed = ids.length === 0 ? [] : await redis.mget(ids.map(fleetKeys.worker));
  const dead = ids.filter((_, i) => sealed[i] === null);
  if (dead.length > 0) await redis.zrem(fleetKeys.workers, ...dead);
  return ids.flatMap((id, i) => {
    if (!sealed[i]) return [];
    const text = openText(seal, id, sealed[i]);
    return [text === null ? null : (workerSchema.safeParse(JSON.parse(text)).data ?? null)];
  });
}

/** How many are alive, without reading what they say; `everyMs` is the time between their heartbeats. */
export async function countWorkers({ redis }: Fleet, everyMs: number): Promise<number> {
  return redis.zcount(fleetKeys.workers, Date.now() - MISSED * everyMs, '+inf');
}

export async function askToDrain({ redis }: Fleet, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await redis
    .multi()
    .sadd(fleetKeys.drain, ...ids)
    .pexpire(fleetKeys.drain, DRAIN_MS)
    .exec();
}
