import type { Redis } from 'ioredis';

/** The way to a Redis server. Whoever uses it must be able to go on without. */
export type RedisLine = {
  /** Undefined when the server cannot be reached, takes too long or refuses. */
  use<T>(deed: (redis: Redis) => Promise<T>): Promise<T | undefined>;
  close(): Promise<void>;
};

export type RedisLineOptions = {
  url: string;
  /** Called once at most, however often the server goes away and comes back. */
  onTrouble(text: string): void;
  /** Longest wait for an answer. */
  patienceMs?: number;
  /** Longest wait for the connection, with the first use. */
  connectMs?: number;
};

const PATIENCE_MS = 500;
const CONNECT_MS = 1_000;
/** After a wait in vain the server is left alone for so long: not every question must wait. */
const REST_MS = 5_000;
const LONGEST_PAUSE_MS = 1_000;

/** Connects with the first use, and again by itself whenever the server is back. */
export function createRedisLine(options: RedisLineOptions): RedisLine {
  const { url, onTrouble, patienceMs = PATIENCE_MS, connectMs = CONNECT_MS } = options;
  let connecting: Promise<Redis> | undefined;
  let restUntil = 0;
  let told = false;
  let closed = false;

  function trouble(why: string): undefined {
    if (told || closed) return undefined;
    told = true;
    onTrouble(
      `The Redis server of cache.redis.url ${why}. Nothing is lost; it is used again when it answers.`,
    );
  }

  async function connect(): Promise<Redis> {
    const library = await import('ioredis');
    // In the built program, whose parts are of another kind, a module's names are under `default`.
    const Redis = library.Redis ?? library.default.Redis;
    const redis = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: connectMs,
      connectionName: 'aca',
      retryStrategy: (times) => Math.min(times * 100, LONGEST_PAUSE_MS),
    });
    redis.on('error', (error: Error) => trouble(`cannot be used: ${error.message || 'no connection'}`));
    await inTime(redis.connect(), connectMs).catch(() => undefined);
    return redis;
  }

  return {
    async use(deed) {
      if (closed || performance.now() < restUntil) return undefined;
      connecting ??= connect();
      const redis = await connecting;
      if (redis.status !== 'ready') return trouble('cannot be reached');
      try {
        return await inTime(deed(redis), patienceMs);
      } catch (error) {
        if (error instanceof TooSlow) restUntil = performance.now() + REST_MS;
        return trouble(error instanceof Error ? `failed: ${error.message}` : 'failed');
      }
    },
    async close() {
      closed = true;
      (await connecting)?.disconnect();
    },
  };
}

class TooSlow extends Error {}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooSlow(`no answer in ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
