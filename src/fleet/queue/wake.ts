import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { limited, onAbort, pause, unlessAborted } from '../../lib/async/abort.ts';
import { type Fleet, fleetKeys } from './fleet.ts';

/** A connection that is blocked for longer may be gone without notice. */
const LONGEST_MS = 10_000;
/** Also if the queue does not give out a task that is due. */
const SHORTEST_MS = 100;
/** After the server should have answered. */
const LATE_MS = 1_000;
/** BullMQ sorts delayed tasks by their time in milliseconds, times this. */
const DELAY_SCALE = 0x1000;

/**
 * Blocks on the server until there may be a task. BullMQ puts a marker beside each queue whenever a task can be
 * taken, and whoever removes it has to look.
 */
export class TaskWaiter {
  readonly #fleet: Fleet;
  readonly #worker: string;
  #client: Redis | undefined;

  constructor(fleet: Fleet, worker: string) {
    this.#fleet = fleet;
    this.#worker = worker;
  }

  /** Resolves early if the signal is aborted. */
  async wait(queues: readonly Queue[], signal: AbortSignal): Promise<void> {
    const { redis } = this.#fleet;
    const wake = fleetKeys.wake(this.#worker);
    const ms = Math.max(SHORTEST_MS, Math.min(LONGEST_MS, (await nextDue(redis, queues)) - Date.now()));
    if (signal.aborted) return;
    this.#client ??= newClient(redis);
    const client = this.#client;
    const markers = queues.map((queue) => queue.toKey('marker'));
    const answer = client.bzpopmin(...markers, wake, ms / 1000).catch(() => undefined);
    const stopping = onAbort(signal, () => void redis.zadd(wake, 0, '0').catch(() => undefined));
    const late = limited(ms + LATE_MS);
    const found = await unlessAborted(answer, late);
    stopping.off();
    if (found && signal.aborted) {
      const [marker, member, score] = found;
      // Another worker looks instead.
      await redis.zadd(marker, score, member);
    }
    if (found !== undefined) return;
    this.#client = undefined;
    client.disconnect();
    // The server refused the command, and would refuse it again.
    if (!late.aborted) await unlessAborted(pause(LATE_MS, signal), signal);
  }

  close(): void {
    this.#client?.disconnect();
  }
}

function newClient(redis: Redis): Redis {
  const client = redis.duplicate({ lazyConnect: true });
  client.on('error', () => undefined);
  return client;
}

/** When the first delayed task is due. */
async function nextDue(redis: Redis, queues: readonly Queue[]): Promise<number> {
  const first = await Promise.all(
    queues.map((queue) => redis.zrange(queue.toKey('delayed'), 0, 0, 'WITHSCORES')),
  );
  return Math.min(
    ...first.map(([, score]) => (score === undefined ? Infinity : Number(score) / DELAY_SCALE)),
  );
}
