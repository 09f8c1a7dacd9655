import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { newRedis, PATIENT } from '../../cache/redis-client.ts';
import { createSeal, type Seal } from '../../cache/seal.ts';
import { UserError } from '../../contract/errors.ts';
import { sha256 } from '../../lib/sha256.ts';

/** Changes with the format of what is stored: other versions see nothing of it. */
const NAMESPACE = '{aca:fleet:1}';
const SHORTEST_KEY = 16;
const CONNECT_MS = 10_000;
/** Events are hints; nothing is lost with old ones. */
const MAX_EVENTS = 1_000;

export type FleetOptions = {
  /** redis:// or rediss://, with user and password if needed. */
  url: string;
  /** Everything in Redis is encrypted with it; the same on all machines. */
  key: string | undefined;
};

/** The connection of one process to a queue server that many machines share. */
export type Fleet = {
  readonly url: string;
  readonly redis: Redis;
  readonly seal: Seal;
  /** Tasks wait in one queue per set of labels: a worker takes from those whose labels it has. */
  queue(labels: readonly string[]): Promise<Queue>;
  queues(): Promise<{ labels: string[]; queue: Queue }[]>;
  bull(): Promise<typeof import('bullmq')>;
  close(): Promise<void>;
};

/** Throws a `UserError` if the server cannot be reached or the key is missing. */
export async function openFleet({ url, key }: FleetOptions): Promise<Fleet> {
  if (!/^rediss?:\/\//.test(url))
    throw new UserError(
      `${url} is not the URL of a Redis server.`,
      'Use redis://HOST:PORT or rediss://HOST:PORT.',
    );
  if (!key || key.length < SHORTEST_KEY)
    throw new UserError(
      'A queue needs a key: everything in Redis is encrypted with it.',
      `Set AI_ASSISTANT_REDIS_KEY to the same secret of at least ${SHORTEST_KEY} characters on every machine.`,
    );
  const redis = await newRedis(url, { ...PATIENT, lazyConnect: true, connectTimeout: CONNECT_MS });
  await reach(redis, url);
  const seal = createSeal(key);
  const opened = new Map<string, Promise<Queue>>();
  const open = (name: string) => {
    const queue = opened.get(name) ?? newQueue(name, redis);
    opened.set(name, queue);
    return queue;
  };
  return {
    url,
    redis,
    seal,
    async queue(labels) {
      const name = queueName(labels);
      const field = fleetKeys.queues;
      if (labels.length > 0) await redis.hset(field, name, sealText(seal, name, JSON.stringify(labels)));
      return open(name);
    },
    async queues() {
      const named = Object.entries(await redis.hgetall(fleetKeys.queues)).flatMap(([name, sealed]) => {
        const labels = openText(seal, name, sealed);
        return labels === null ? [] : [{ name, labels: JSON.parse(labels) as string[] }];
      });
      const all = [{ name: queueName([]), labels: [] as string[] }, ...named];
      return Promise.all(all.map(async ({ name, labels }) => ({ labels, queue: await open(name) })));
    },
    bull: () => import('bullmq'),
    async close() {
      for (const queue of opened.values()) await (await queue).close();
      redis.disconnect();
    },
  };
}

/** Options of all BullMQ objects of a queue. */
export function bullOptions(redis: Redis) {
  return { connection: redis, prefix: NAMESPACE } as const;
}

async function newQueue(name: string, redis: Redis): Promise<Queue> {
  const { Queue } = await import('bullmq');
  const queue = new Queue(name, { ...bullOptions(redis), streams: { events: { maxLen: MAX_EVENTS } } });
  queue.on('error', () => undefined);
  return queue;
}

export function queueName(labels: readonly string[]): string {
  return labels.length === 0 ? 'tasks' : `tasks-${sha256(JSON.stringify([...labels].sort())).slice(0, 16)}`;
}

async function reach(redis: Redis, url: string): Promise<void> {
  let last = 'no answer';
  redis.on('error', (error: Error) => {
    last = error.message || last;
  });
  void redis.connect().catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, CONNECT_MS, 'late');
  });
  try {
    if ((await Promise.race([redis.ping(), late])) !== 'late') return;
  } catch (error) {
    last = (error as Error).message;
  } finally {
    clearTimeout(timer);
  }
  redis.disconnect();
  throw new UserError(
    `Cannot use the Redis server at ${withoutPassword(url)}: ${last}.`,
    'Check the URL and that it runs.',
  );
}

export function withoutPassword(url: string): string {
  return url.replace(/(\/\/)[^@/]*@/, '$1');
}

/** Names are hashes, since others can see the server. */
export const fleetKeys = {
  queues: `${NAMESPACE}:queues`,
  batches: `${NAMESPACE}:batches`,
  /** By the time of their last heartbeat. */
  workers: `${NAMESPACE}:workers`,
  worker: (id: string) => `${NAMESPACE}:worker:${id}`,
  /** Workers that shall finish what they do, and leave. */
  drain: `${NAMESPACE}:drain`,
  batch: (id: string) => {
    const base = `${NAMESPACE}:batch:${id}`;
    return {
      /** Results by job, each written once. */
      results: `${base}:results`,
      /** The jobs of `results`, in order. */
      done: `${base}:done`,
      /** All jobs and their queues. */
      jobs: `${base}:jobs`,
      cancelled: `${base}:cancelled`,
      budget: `${base}:budget`,
    };
  },
  /** Its fence, and how often it was started, handed back and failed. */
  task: (job: string) => `${NAMESPACE}:task:${job}`,
  /** Its deliveries. */
  log: (job: string) => `${NAMESPACE}:task:${job}:log`,
};

export function sealText(seal: Seal, name: string, text: string): string {
  return seal.close(name, text).toString('base64');
}

/** Null if it was not written with this key under this name. */
export function openText(seal: Seal, name: string, sealed: string): string | null {
  return seal.open(name, Buffer.from(sealed, 'base64'));
}
