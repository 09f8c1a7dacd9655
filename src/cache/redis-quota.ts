import { createHash, randomUUID } from 'node:crypto';
import type { Quota } from '../contract/quota.ts';
import type { RedisLine } from './redis-line.ts';

const NAMESPACE = 'aca:quota:1';
const MINUTE_MS = 60_000;

/**
 * A sliding minute by the server's clock: takes are in a sorted set by time, as `id:requests:tokens`. Returns
 * the milliseconds until enough of them are a minute old; 0 if the new one fits, and then it is added. A cost
 * above the limit itself is admitted once nothing else counts.
 */
const TAKE = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local minute, id = tonumber(ARGV[1]), ARGV[2]
local cost = { tonumber(ARGV[3]), tonumber(ARGV[4]) }
local limits = { tonumber(ARGV[5]), tonumber(ARGV[6]) }
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms - minute)
local taken = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local wait = 0
for unit = 1, 2 do
  if limits[unit] >= 0 then
    local sum = 0
    local uses = {}
    for i = 1, #taken, 2 do
      local requests, tokens = string.match(taken[i], ':(%d+):(%d+)$')
      local used = tonumber(unit == 1 and requests or tokens)
      sum = sum + used
      uses[#uses + 1] = { used, tonumber(taken[i + 1]) }
    end
    local at = 1
    while sum > 0 and sum + cost[unit] > limits[unit] and at <= #uses do
      sum = sum - uses[at][1]
      if uses[at][1] > 0 then wait = math.max(wait, uses[at][2] + minute + 1 - ms) end
      at = at + 1
    end
  end
end
if wait > 0 then return wait end
redis.call('ZADD', KEYS[1], ms, id .. ':' .. cost[1] .. ':' .. cost[2])
redis.call('PEXPIRE', KEYS[1], minute + 1000)
return 0
`;

/** One count for all instances that share the server; `otherwise` is used without it. */
export function createRedisQuota(line: RedisLine, otherwise: Quota): Quota {
  return quotaOn(line.use, NAMESPACE, otherwise);
}

/** `use` returns undefined if the server cannot be used; then `otherwise` counts. */
export function quotaOn(use: RedisLine['use'], namespace: string, otherwise?: Quota): Quota {
  return {
    async take(key, asked, signal) {
      const { cost, limits } = asked;
      // A key is a model's name; it is hashed, since others can see the server.
      const name = `${namespace}:${createHash('sha256').update(key).digest('hex')}`;
      const wait = await use((redis) =>
        redis.eval(
          TAKE,
          1,
          name,
          MINUTE_MS,
          randomUUID(),
          Math.ceil(cost.requests),
          Math.ceil(cost.tokens),
          limits.requestsPerMinute ?? -1,
          limits.tokensPerMinute ?? -1,
        ),
      );
      signal.throwIfAborted();
      if (typeof wait === 'number') return wait;
      if (!otherwise) throw new Error('The Redis server that counts the quotas cannot be used.');
      return otherwise.take(key, asked, signal);
    },
  };
}
