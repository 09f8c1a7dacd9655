import type { RedisLine } from './redis-line.ts';
import type { Seal } from './seal.ts';
import type { Tier, TierKey } from './tier.ts';

/** Changes with the format of the values: those of another version are ignored. */
const NAMESPACE = 'aca:cache:1';

/** Values shared by all instances with the same server and key. Nothing is sent unencrypted. */
export function createRedisTier(line: RedisLine, seal: Seal): Tier {
  const nameOf = ({ kind, name }: TierKey) => `${NAMESPACE}:${kind}:${seal.nameOf(`${kind}:${name}`)}`;
  return {
    async get(key) {
      const name = nameOf(key);
      const sealed = await line.use((redis) => redis.getBuffer(name));
      return sealed ? seal.open(name, sealed) : null;
    },
    async set(key, text, ttlMs) {
      const name = nameOf(key);
      await line.use((redis) => redis.set(name, seal.close(name, text), 'PX', ttlMs));
    },
    close: () => line.close(),
  };
}
