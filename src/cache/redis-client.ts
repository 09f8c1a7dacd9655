import type { Redis, RedisOptions } from 'ioredis';

/** Commands wait until the server answers, however often it restarts. */
export const PATIENT: RedisOptions = {
  maxRetriesPerRequest: null,
  retryStrategy: (times) => Math.min(times * 100, 1_000),
};

export async function loadRedis() {
  const library = await import('ioredis');
  // In the built program a CommonJS module's names are under `default`.
  return library.Redis ? library : library.default;
}

/** Loads the library on first use. Connection errors are reported by the commands that fail. */
export async function newRedis(url: string, options: RedisOptions): Promise<Redis> {
  const { Redis } = await loadRedis();
  const redis = new Redis(url, { connectionName: 'aca', ...options });
  redis.on('error', () => undefined);
  return redis;
}
