import type { Redis } from 'ioredis';
import { newRedis } from './redis-client.ts';

/** A connection to a Redis server. Callers must work without it. */
export type RedisLine = {
  /** Undefined if the server is unreachable, too slow or returns an error. */
  use<T>(action: (redis: Redis) => Promise<T>): Promise<T | undefined>;
  close(): Promise<void>;
};

export type RedisLineOptions = {
  url: string;
  /** Called at most once, however often the server disconnects and reconnects. */
  onTrouble(text: string): void;
  /** Longest wait for a response. */
  maxWaitMs?: number;
  /** Longest wait for the connection, on first use. */
  connectMs?: number;
};

const MAX_WAIT_MS = 500;
const CONNECT_MS = 1_000;
/** After a timeout the server is skipped for this long, so that not every request has to wait. */
const REST_MS = 5_000;
const LONGEST_PAUSE_MS = 1_000;

/** Connects on first use, and reconnects automatically. */
export function createRedisLine(options: RedisLineOptions): RedisLine {
  const { url, onTrouble, maxWaitMs = MAX_WAIT_MS, connectMs = CONNECT_MS } = options;
  let connecting: Promise<Redis> | undefined;
  let restUntil = 0;
  let reported = false;
  let closed = false;

  function trouble(why: string): undefined {
    if (reported || closed) return undefined;
    reported = true;
    onTrouble(
      `The Redis server in cache.redis.url ${why}. Nothing is lost; it will be used again once it responds.`,
    );
  }

  async function connect(): Promise<Redis> {
    const redis = await newRedis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      connectTimeout: connectMs,
      retryStrategy: (times) => Math.min(times * 100, LONGEST_PAUSE_MS),
    });
    redis.on('error', (error: Error) => trouble(`cannot be used: ${error.message || 'no connection'}`));
    await inTime(redis.connect(), connectMs).catch(() => undefined);
    return redis;
  }

  return {
    async use(action) {
      if (closed || performance.now() < restUntil) return undefined;
      connecting ??= connect();
      const redis = await connecting;
      if (redis.status !== 'ready') return trouble('cannot be reached');
      try {
        return await inTime(action(redis), maxWaitMs);
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
    timer = setTimeout(() => reject(new TooSlow(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
