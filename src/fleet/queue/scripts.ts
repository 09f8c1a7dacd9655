import type { Fleet } from './fleet.ts';
import { fleetKeys } from './fleet.ts';

/**
 * `fence` numbers the deliveries of a task. `deaths`: starts that were neither handed back nor failed, because
 * their workers died or stalled.
 */
export type Delivery = { fence: number; deaths: number; failures: number; state: 'open' | 'done' | 'dead' };

/** A script that is sent again after a lost connection finds its own token, and is the same delivery. */
const START = `
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[2] then
  redis.call('HINCRBY', KEYS[1], 'fence', 1)
  redis.call('HSET', KEYS[1], 'holder', ARGV[2])
end
local function number(field) return tonumber(redis.call('HGET', KEYS[1], field) or '0') end
local state = redis.call('HEXISTS', KEYS[2], ARGV[1])
if state == 1 then state = state + redis.call('SISMEMBER', KEYS[3], ARGV[1]) end
return { number('fence'), number('fence') - 1 - number('ended'), number('failures'), state }
`;

const MAX_LOG = 50;

/** Writes down how a delivery ended, in the same step: one that is too late leaves nothing behind. */
const LOG = `
local function log(key, entry)
  if entry == '' then return end
  redis.call('RPUSH', key, entry)
  redis.call('LTRIM', key, -${MAX_LOG}, -1)
end
`;

/** Only the newest delivery counts. */
const END = `${LOG}
local holder = redis.call('HGET', KEYS[1], 'holder')
if holder == ARGV[1] .. ' ended' then return 1 end
if holder ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'holder', ARGV[1] .. ' ended')
redis.call('HINCRBY', KEYS[1], 'ended', 1)
if ARGV[2] == 'failed' then redis.call('HINCRBY', KEYS[1], 'failures', 1) end
log(KEYS[2], ARGV[3])
return 1
`;

/** A result is written once, by the newest delivery. -1: another worker has taken over. */
const FINISH = `${LOG}
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return -1 end
if redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[3]) == 0 then return 0 end
redis.call('RPUSH', KEYS[3], ARGV[2])
if ARGV[4] == 'dead' then redis.call('SADD', KEYS[4], ARGV[2]) end
redis.call('HINCRBY', KEYS[1], 'ended', 1)
log(KEYS[5], ARGV[5])
return 1
`;

/** Its deaths and failures are forgiven. Only a task that had ended may replace the branch that it pushed before. */
const REOPEN = `
redis.call('HSET', KEYS[1], 'ended', redis.call('HGET', KEYS[1], 'fence') or '0', 'failures', '0')
if ARGV[2] == 'ended' then
  redis.call('HSET', KEYS[1], 'again', '1')
  redis.call('HDEL', KEYS[1], 'replaces')
end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
return 1
`;

/** Once it is delivered again; it may have been given up again since. */
const UNLIST = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then redis.call('SREM', KEYS[2], ARGV[1]) end
return 1
`;

const STATES: Delivery['state'][] = ['open', 'done', 'dead'];

/**
 * A task is delivered: everything that an earlier delivery still does from now on is too late. The token of a
 * delivery is unique, also among those of a batch that was removed and queued again.
 */
export async function startDelivery(
  { redis }: Fleet,
  batch: string,
  { job, token }: { job: string; token: string },
): Promise<Delivery> {
  const { results, dead } = fleetKeys.batch(batch);
  const found = await redis.eval(START, 3, fleetKeys.task(job), results, dead, job, token);
  const [fence = 0, deaths = 0, failures = 0, state = 0] = found as number[];
  return { fence, deaths, failures, state: STATES[state] ?? 'open' };
}

/**
 * It will be delivered again: after a failure, or because its worker is leaving. False if another worker has
 * taken the task over.
 */
export async function endDelivery(
  { redis }: Fleet,
  job: string,
  { token, how, entry }: { token: string; how: 'failed' | 'handed back'; entry: string },
): Promise<boolean> {
  return (await redis.eval(END, 2, fleetKeys.task(job), fleetKeys.log(job), token, how, entry)) === 1;
}

export async function isCurrent({ redis }: Fleet, job: string, token: string): Promise<boolean> {
  return (await redis.hget(fleetKeys.task(job), 'holder')) === token;
}

/** False if another worker has taken the task over. `isDead`: for the dead-letter list; `entry`: for its log. */
export async function finishTask(
  { redis }: Fleet,
  {
    batch,
    job,
    token,
    sealed,
    isDead = false,
    entry = '',
  }: { batch: string; job: string; token: string; sealed: string; isDead?: boolean; entry?: string },
): Promise<boolean> {
  const { results, done, dead } = fleetKeys.batch(batch);
  const keys = [fleetKeys.task(job), results, done, dead, fleetKeys.log(job)];
  return (await redis.eval(FINISH, 5, ...keys, token, job, sealed, isDead ? 'dead' : '', entry)) !== -1;
}

/**
 * Takes the result of a task back, so that it can be delivered again by `deliver`. If that is killed half-way, the
 * dead-letter list still has a task that was in it.
 */
export async function reopenTask(
  { redis }: Fleet,
  { batch, job, hasEnded }: { batch: string; job: string; hasEnded: boolean },
  deliver: () => Promise<unknown>,
): Promise<void> {
  const { results, cancelled, dead } = fleetKeys.batch(batch);
  await redis.eval(REOPEN, 3, fleetKeys.task(job), results, cancelled, job, hasEnded ? 'ended' : '');
  await deliver();
  await redis.eval(UNLIST, 2, results, dead, job);
}
