import type { Fleet } from './fleet.ts';
import { fleetKeys } from './fleet.ts';

/** A start that was neither handed back nor failed: its worker died or stalled. */
export type Delivery = { fence: number; deaths: number; failures: number; isDone: boolean };

const START = `
local fence = redis.call('HINCRBY', KEYS[1], 'fence', 1)
local ended = tonumber(redis.call('HGET', KEYS[1], 'ended') or '0')
local failures = tonumber(redis.call('HGET', KEYS[1], 'failures') or '0')
return { fence, fence - 1 - ended, failures, redis.call('HEXISTS', KEYS[2], ARGV[1]) }
`;

/** Only the newest delivery counts. */
const END = `
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 0 end
redis.call('HINCRBY', KEYS[1], 'ended', 1)
if ARGV[2] == 'failed' then redis.call('HINCRBY', KEYS[1], 'failures', 1) end
return 1
`;

/** A result is written once, by the newest delivery. -1: another worker has taken over. */
const FINISH = `
if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return -1 end
if redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[3]) == 0 then return 0 end
redis.call('RPUSH', KEYS[3], ARGV[2])
return 1
`;

/** A task is delivered: everything that an earlier delivery still does from now on is too late. */
export async function startDelivery({ redis }: Fleet, batch: string, job: string): Promise<Delivery> {
  const keys = [fleetKeys.task(job), fleetKeys.batch(batch).results];
  const [fence = 0, deaths = 0, failures = 0, done] = (await redis.eval(START, 2, ...keys, job)) as number[];
  return { fence, deaths, failures, isDone: done === 1 };
}

/** It will be delivered again: after a failure, or because its worker is leaving. */
export async function endDelivery(
  { redis }: Fleet,
  job: string,
  { fence, how }: { fence: number; how: 'failed' | 'handed back' },
): Promise<void> {
  await redis.eval(END, 1, fleetKeys.task(job), fence, how);
}

export async function isCurrent({ redis }: Fleet, job: string, fence: number): Promise<boolean> {
  return (await redis.hget(fleetKeys.task(job), 'fence')) === String(fence);
}

/** False if another worker has taken the task over. */
export async function finishTask(
  { redis }: Fleet,
  { batch, job, fence, sealed }: { batch: string; job: string; fence: number; sealed: string },
): Promise<boolean> {
  const { results, done } = fleetKeys.batch(batch);
  return (await redis.eval(FINISH, 3, fleetKeys.task(job), results, done, fence, job, sealed)) !== -1;
}
