import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { newPatientRedis, type PatientRedis } from '../../cache/patient-redis.ts';
import { createSeal, type Seal } from '../../cache/seal.ts';
import { UserError } from '../../contract/errors.ts';
import { limited, raceAbort } from '../../lib/async/abort.ts';
import { counted } from '../../lib/text/counted.ts';

/** Changes with the format of what is stored: other versions see nothing of it. */
const NAMESPACE = '{aca:fleet:1}';
const SHORTEST_KEY = 16;
const CONNECT_MS = 10_000;
/** Of the Redis server: the first with all commands that are used. */
const OLDEST = [6, 2] as const;
/** Events are hints; nothing is lost with old ones. */
const MAX_EVENTS = 1_000;
const WAKE_MS = 60_000;

export type FleetOptions = {
  /** redis:// or rediss://, with user and password if needed. */
  url: string;
  /** Everything in Redis is encrypted with it; the same on all machines. */
  key: string | undefined;
  /** Gets a sentence when there is no connection at first, whenever it is lost or refuses writes, and when it is back. */
  onConnection?(text: string): unknown;
};

/** The connection of one process to a queue server that many machines share. */
export type Fleet = {
  readonly url: string;
  readonly redis: Redis;
  readonly seal: Seal;
  /** The server does not answer, or refuses to write. */
  isAway(): boolean;
  /** Tasks wait in one queue per set of labels: a worker takes from those whose labels it has. */
  queue(labels: readonly string[]): Promise<Queue>;
  queues(): Promise<{ labels: string[]; queue: Queue }[]>;
  bull(): Promise<typeof import('bullmq')>;
  close(): Promise<void>;
};

/** Throws a `UserError` if the server cannot be reached or the key is missing. */
export async function openFleet({ url, key, onConnection }: FleetOptions): Promise<Fleet> {
  if (!/^rediss?:\/\//.test(url) || !isReadable(url))
    throw new UserError(
      `${withoutPassword(url)} is not the URL of a Redis server.`,
      'Use redis://HOST:PORT or rediss://HOST:PORT. Write special characters of a password as %XX.',
    );
  if (!key || key.length < SHORTEST_KEY)
    throw new UserError(
      key
        ? `The key of the queue is too short: it has ${counted(key.length, 'character')}.`
        : 'A queue needs a key: everything in Redis is encrypted with it.',
      `Set AI_ASSISTANT_REDIS_KEY to the same secret of at least ${SHORTEST_KEY} characters on every machine.`,
    );
  const patient = await newPatientRedis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    probe: fleetKeys.probe,
    onRefusal: (reason) =>
      void onConnection?.(
        reason === null
          ? 'The Redis server accepts writes again.'
          : `The Redis server at ${withoutPassword(url)} refuses to write: ${reason}. Waiting for it. Nothing is lost.`,
      ),
  });
  const { redis } = patient;
  await reach(redis, { url, onConnection });
  if (onConnection) watchConnection(patient, { url, onConnection });
  const isAway = () => redis.status !== 'ready' || patient.refusal() !== null;
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
    isAway,
    async queue(labels) {
      const name = queueName({ seal }, labels);
      const sealed = sealText(seal, name, JSON.stringify(labels));
      const isNew = labels.length > 0 && (await redis.hset(fleetKeys.queues, name, sealed)) === 1;
      // They do not wait for tasks of a queue that they have not seen.
      if (isNew) await wakeWorkers(redis);
      return open(name);
    },
    async queues() {
      const named = Object.entries(await redis.hgetall(fleetKeys.queues)).flatMap(([name, sealed]) => {
        const labels = openText(seal, name, sealed);
        return labels === null ? [] : [{ name, labels: JSON.parse(labels) as string[] }];
      });
      const all = [{ name: queueName({ seal }, []), labels: [] as string[] }, ...named];
      return Promise.all(all.map(async ({ name, labels }) => ({ labels, queue: await open(name) })));
    },
    bull: () => import('bullmq'),
    async close() {
      // They would wait for a server that is gone.
      if (isAway()) opened.clear();
      for (const queue of opened.values()) await (await queue).close();
      redis.disconnect();
    },
  };
}

async function wakeWorkers(redis: Redis): Promise<void> {
  const waking = redis.multi();
  for (const id of await redis.zrange(fleetKeys.workers, 0, -1)) {
    waking.zadd(fleetKeys.wake(id), 0, '0').pexpire(fleetKeys.wake(id), WAKE_MS);
  }
  await waking.exec();
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

/** Without the key, nobody can tell labels from it. */
export function queueName({ seal }: Pick<Fleet, 'seal'>, labels: readonly string[]): string {
  if (labels.length === 0) return 'tasks';
  return `tasks-${seal.nameOf(`labels ${JSON.stringify([...labels].sort())}`).slice(0, 16)}`;
}

/** Waits a moment for a server that is just starting, but not for one that refuses us. */
async function reach(
  redis: Redis,
  { url, onConnection }: { url: string; onConnection: FleetOptions['onConnection'] },
): Promise<void> {
  let last = 'no answer';
  redis.on('error', (error: Error) => {
    last = error.message || last;
  });
  const tellOnce = () =>
    onConnection?.(
      `No answer from the Redis server at ${withoutPassword(url)} yet. Trying for ${CONNECT_MS / 1000}s…`,
    );
  redis.once('reconnecting', tellOnce);
  void redis.connect().catch(() => undefined);
  const late = limited(CONNECT_MS);
  try {
    const info = await raceAbort(redis.info('server'), late);
    const [, found = ''] = /^redis_version:(.*?)\r?$/m.exec(info) ?? [];
    // Otherwise it would use another one without a word.
    if (redis.options.db) await raceAbort(redis.select(redis.options.db), late);
    if (isOlder(found, OLDEST))
      last = `its version is ${found}, and batches need ${OLDEST.join('.')} or newer`;
    else return;
  } catch (error) {
    if (!late.aborted) last = (error as Error).message;
  } finally {
    redis.off('reconnecting', tellOnce);
  }
  redis.disconnect();
  const [, hint] = HINTS.find(([pattern]) => pattern.test(last)) ?? [];
  throw new UserError(
    `Cannot use the Redis server at ${withoutPassword(url)}: ${last.replace(/\.$/, '')}.`,
    hint ?? 'Check the URL and that it runs.',
  );
}

const HINTS: readonly [RegExp, string][] = [
  [/WRONGPASS|invalid password/i, 'Check user and password in the URL: redis://USER:PASSWORD@HOST:PORT.'],
  [/NOAUTH/, 'Add the password to the URL: redis://:PASSWORD@HOST:PORT.'],
  [/NOPERM/, 'Give the user access: ACL SETUSER USER ~{aca:fleet:1}:* &* +@all -@admin -@dangerous +info.'],
  [/certificate|self.signed/i, 'Set NODE_EXTRA_CA_CERTS to the PEM file of its certificate authority.'],
  [/version is/, 'Update the server.'],
  [/DB index/, 'Name a database that the server has: redis://HOST:PORT/NUMBER.'],
];

/** Its user and password are decoded later. */
function isReadable(url: string): boolean {
  try {
    const { username, password } = new URL(url);
    decodeURIComponent(username + password);
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof URIError) return false;
    throw error;
  }
}

function isOlder(found: string, oldest: readonly number[]): boolean {
  const [major = 0, minor = 0] = found.split('.').map(Number);
  const [least = 0, leastMinor = 0] = oldest;
  return major < least || (major === least && minor < leastMinor);
}

function watchConnection(
  { redis, refusal }: PatientRedis,
  { url, onConnection }: { url: string; onConnection(text: string): unknown },
): void {
  let isLost = false;
  redis.on('reconnecting', () => {
    // While it refuses, the connection is renewed now and then.
    if (isLost || refusal() !== null) return;
    onConnection(`Lost the Redis server at ${withoutPassword(url)}. Waiting for it.`);
    isLost = true;
  });
  redis.on('ready', () => {
    if (isLost) onConnection('Connected to the Redis server again.');
    isLost = false;
  });
}

/** Even if its special characters are not escaped. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/.*@/, '//');
}

/** Names are hashes, since others can see the server. */
export const fleetKeys = {
  queues: `${NAMESPACE}:queues`,
  batches: `${NAMESPACE}:batches`,
  /** By the time of their last heartbeat. */
  workers: `${NAMESPACE}:workers`,
  worker: (id: string) => `${NAMESPACE}:worker:${id}`,
  /** Whoever adds something to it lets the worker look for tasks. */
  wake: (id: string) => `${NAMESPACE}:wake:${id}`,
  /** Written to see whether the server accepts writes. */
  probe: `${NAMESPACE}:probe`,
  /** Workers that shall finish what they do, and leave. */
  drain: `${NAMESPACE}:drain`,
  /** How fast each vendor may be called, by all batches together. */
  pace: `${NAMESPACE}:pace`,
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
      /** Jobs that were given up. */
      dead: `${base}:dead`,
      budget: `${base}:budget`,
    };
  },
  /** Its fence, the token of its newest delivery, and how often it was handed back and failed. */
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
