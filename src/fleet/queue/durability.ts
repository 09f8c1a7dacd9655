import type { Redis } from 'ioredis';

/**
 * What has to be set on the server so that no task is lost: each a sentence with the command. Empty if all is
 * well. Hosted servers hide their settings, so this reads what they report about themselves.
 */
export async function durabilityWarnings(redis: Redis): Promise<string[]> {
  const info = `${await redis.info('memory')}\n${await redis.info('persistence')}`;
  const settingOf = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const warnings: string[] = [];
  const policy = settingOf('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction')
    warnings.push(
      `Redis may delete queued tasks when its memory is full (maxmemory-policy ${policy}). Run: redis-cli CONFIG SET maxmemory-policy noeviction`,
    );
  if (settingOf('aof_enabled') === '0')
    warnings.push(
      'Redis loses queued tasks when it restarts (no append-only file). Run: redis-cli CONFIG SET appendonly yes',
    );
  return warnings.map((warning) => `${warning}, and set it in redis.conf.`);
}
