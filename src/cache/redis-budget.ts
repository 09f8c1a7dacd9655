import type { Redis } from 'ioredis';
import type { Limit } from '../contract/limit.ts';
import type { QuotaLimits } from '../contract/quota.ts';
import { type LimitAmounts, PACING, ROUNDING, type SharedBudget } from '../contract/shared-budget.ts';
import { quotaOn } from './redis-quota.ts';

export type RedisBudgetOptions = {
  /** Waits for the server instead of failing; each script below may run twice with the same result. */
  redis: Redis;
  /** Starts the names of all its keys. */
  prefix: string;
  /** The same for the speed of vendors, which does not depend on the budget. */
  pacePrefix: string;
  limits: readonly Limit[];
  quotas: Readonly<Record<string, QuotaLimits>>;
  /** Whose calls these are, see `budgetOwner`: `settleCallsOf` ends those that its process left open. */
  owner: string;
};

/** A process on another machine cannot be checked: after this time its calls count as spent. */
const LONGEST_CALL_MS = 3_600_000;

/**
 * The sums are a hash, the calls under way another one (`usd tokens turns owner` by id), in the order of
 * their deadlines, and again in the order of their owners. All scripts start with these functions.
 */
const FUNCTIONS = `
local sums, calls, deadlines, owners = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local units = { 'usd', 'tokens', 'turns' }
local function number(field) return tonumber(redis.call('HGET', sums, field) or '0') end
local function amounts(call)
  local usd, tokens, turns = string.match(call, '^(%S+) (%S+) (%S+) ')
  return { usd = tonumber(usd), tokens = tonumber(tokens), turns = tonumber(turns) }
end
local function add(kind, unit, amount)
  if amount ~= 0 then redis.call('HINCRBYFLOAT', sums, kind .. ':' .. unit, string.format('%.17g', amount)) end
end
local function settle(id, call, used)
  local most = amounts(call)
  for _, unit in ipairs(units) do
    add('held', unit, -most[unit])
    add('spent', unit, (used or most)[unit])
  end
  redis.call('HDEL', calls, id)
  redis.call('ZREM', deadlines, id)
  redis.call('ZREM', owners, string.match(call, '^%S+ %S+ %S+ (.*)$') .. ' ' .. id)
end
if redis.call('EXISTS', sums) == 0 then return redis.error_reply('GONE the budget is not on this server') end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', deadlines, '-inf', now, 'LIMIT', 0, 100)) do
  local call = redis.call('HGET', calls, id)
  if call then settle(id, call) else redis.call('ZREM', deadlines, id) end
end
`;

const TOTALS = `${FUNCTIONS}
local result = {}
for _, kind in ipairs({ 'spent', 'held' }) do
  for _, unit in ipairs(units) do result[#result + 1] = redis.call('HGET', sums, kind .. ':' .. unit) or '0' end
end
return result
`;

/** The call, its deadline, its amounts, and the limits (-1 for none). */
const RESERVE = `${FUNCTIONS}
local id, owner = ARGV[1], ARGV[2]
if redis.call('HEXISTS', calls, id) == 1 then return 1 end
if redis.call('HEXISTS', sums, 'closed') == 1 then return redis.error_reply('GONE the batch was removed') end
for i, unit in ipairs(units) do
  local most, limit = tonumber(ARGV[3 + i]), tonumber(ARGV[6 + i])
  if limit >= 0 and number('spent:' .. unit) + number('held:' .. unit) + most > limit + ${ROUNDING} then return 0 end
end
for i, unit in ipairs(units) do add('held', unit, tonumber(ARGV[3 + i])) end
redis.call('HSET', calls, id, ARGV[4] .. ' ' .. ARGV[5] .. ' ' .. ARGV[6] .. ' ' .. owner)
redis.call('ZADD', deadlines, now + tonumber(ARGV[3]), id)
redis.call('ZADD', owners, 0, owner .. ' ' .. id)
return 1
`;

const SETTLE = `${FUNCTIONS}
local call = redis.call('HGET', calls, ARGV[1])
if not call then return 0 end
settle(ARGV[1], call, { usd = tonumber(ARGV[2]), tokens = tonumber(ARGV[3]), turns = tonumber(ARGV[4]) })
return 1
`;

/** Those of the job's owners with a number below the given one. */
const SETTLE_OWNERS = `${FUNCTIONS}
local from = ARGV[1] .. '/'
for _, entry in ipairs(redis.call('ZRANGEBYLEX', owners, '[' .. from, '[' .. from .. '\\255')) do
  local number, id = string.match(string.sub(entry, #from + 1), '^(%d+) (.*)$')
  local call = number and tonumber(number) < tonumber(ARGV[2]) and redis.call('HGET', calls, id)
  if call then settle(id, call) end
end
return 1
`;

/** What is known to be spent, and what counts instead if the server has lost the budget. */
const CREATE = `
local isNew = redis.call('EXISTS', KEYS[1]) == 0
for _, key in ipairs(KEYS) do redis.call('PERSIST', key) end
redis.call('HDEL', KEYS[1], 'closed')
for i, unit in ipairs({ 'usd', 'tokens', 'turns' }) do
  local least = tonumber(isNew and ARGV[3 + i] or ARGV[i])
  if isNew or tonumber(redis.call('HGET', KEYS[1], 'spent:' .. unit) or '0') < least then
    redis.call('HSET', KEYS[1], 'spent:' .. unit, string.format('%.17g', least))
  end
end
return 1
`;

const CLOSE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'closed', '1')
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[1]) end
return 1
`;

/** The same rules as for one machine, by the server's clock. */
const PACE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local gap = tonumber(redis.call('HGET', KEYS[1], 'gap') or '0')
local nextAt = tonumber(redis.call('HGET', KEYS[1], 'nextAt') or '0')
local function keep(gap, nextAt)
  if gap == 0 then redis.call('DEL', KEYS[1]) return end
  redis.call('HSET', KEYS[1], 'gap', gap, 'nextAt', nextAt)
  redis.call('PEXPIRE', KEYS[1], 600000)
end
if ARGV[1] == 'next' then
  if nextAt > now then return nextAt - now end
  keep(gap, now + math.ceil(gap))
  return 0
end
if ARGV[1] == 'rejected' then
  gap = math.min(math.max(gap * 2, tonumber(ARGV[3])), tonumber(ARGV[4]))
  keep(gap, math.max(nextAt, now + math.max(math.ceil(gap), tonumber(ARGV[2]))))
else
  gap = gap * tonumber(ARGV[5])
  if gap < tonumber(ARGV[6]) then gap = 0 end
  keep(gap, nextAt)
end
return 0
`;
const LONGEST_WAIT_MS = 60_000;

type Place = Pick<RedisBudgetOptions, 'redis' | 'prefix'>;

const keysOf = (prefix: string) =>
  [`${prefix}:sums`, `${prefix}:calls`, `${prefix}:deadlines`, `${prefix}:owners`] as const;

export type Totals = { spent: LimitAmounts; held: LimitAmounts };

const NOTHING: LimitAmounts = { usd: 0, tokens: 0, turns: 0 };

/** A budget that exists goes on, with at least what is known to be `spent`; `ifLost` is what a new one begins with. */
export async function createRedisBudget(
  { redis, prefix }: Place,
  { spent, ifLost }: { spent: LimitAmounts; ifLost: LimitAmounts } = { spent: NOTHING, ifLost: NOTHING },
): Promise<void> {
  const amounts = [spent, ifLost].flatMap(({ usd, tokens, turns }) => [usd, tokens, turns]);
  await redis.eval(CREATE, 4, ...keysOf(prefix), ...amounts);
}

export async function removeRedisBudget({ redis, prefix }: Place): Promise<void> {
  await redis.unlink(...keysOf(prefix));
}

/** No more calls are admitted; it can be created again for the given time, and goes on then. */
export async function closeRedisBudget({ redis, prefix }: Place, keepMs: number): Promise<void> {
  await redis.eval(CLOSE, 4, ...keysOf(prefix), keepMs);
}

/** The owner of the calls of one delivery of a job. */
export function budgetOwner(job: string, delivery: number): string {
  return `${job}/${delivery}`;
}

/** The calls that deliveries before this one left open count as spent in full. */
export async function settleCallsOf(
  { job, before }: { job: string; before: number },
  { redis, prefix }: Place,
): Promise<void> {
  await unlessGone(redis.eval(SETTLE_OWNERS, 4, ...keysOf(prefix), job, before));
}

/** Null if there is no such budget: its batch is over. */
export function findRedisBudget(place: Place): Promise<Totals | null> {
  return unlessGone(readRedisBudget(place));
}

async function unlessGone<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error as Error).message.includes('GONE')) throw error;
    return null;
  }
}

async function readRedisBudget({ redis, prefix }: Place): Promise<Totals> {
  const numbers = (await redis.eval(TOTALS, 4, ...keysOf(prefix))) as string[];
  const of = (from: number): LimitAmounts => ({
    usd: rounded(numbers[from]),
    tokens: rounded(numbers[from + 1]),
    turns: rounded(numbers[from + 2]),
  });
  return { spent: of(0), held: of(3) };
}

/** Shared by all processes that use the server. */
export function openRedisBudget(options: RedisBudgetOptions): SharedBudget {
  const { redis, prefix, pacePrefix, limits, quotas, owner } = options;
  const keys = keysOf(prefix);
  const limitOf = (unit: Limit['unit']) =>
    Math.min(...limits.filter((limit) => limit.unit === unit).map(({ amount }) => amount));
  const orNone = (limit: number) => (Number.isFinite(limit) ? limit : -1);
  const most = [orNone(limitOf('usd')), orNone(limitOf('tokens')), orNone(limitOf('turns'))];
  const pace = async (vendor: string, what: string, retryAfterMs: number) => {
    const { firstGapMs, longestGapMs, recovery, shortestGapMs } = PACING;
    const numbers = [retryAfterMs, firstGapMs, longestGapMs, recovery, shortestGapMs];
    return Number(await redis.eval(PACE, 1, `${pacePrefix}:${vendor}`, what, ...numbers));
  };
  return {
    limits,
    quotas,
    quota: quotaOn(async (use) => use(redis), `${prefix}:quota`),
    pace: {
      next: (vendor) => pace(vendor, 'next', 0),
      async report(vendor, { rejected, retryAfterMs = 0 }) {
        await pace(vendor, rejected ? 'rejected' : 'accepted', Math.min(retryAfterMs, LONGEST_WAIT_MS));
      },
    },
    totals: () => readRedisBudget({ redis, prefix }),
    async reserve(id, { usd, tokens, turns }) {
      const call = [id, owner, LONGEST_CALL_MS, usd, tokens, turns];
      return (await redis.eval(RESERVE, 4, ...keys, ...call, ...most)) === 1;
    },
    async settle(id, { usd, tokens, turns }) {
      await redis.eval(SETTLE, 4, ...keys, id, usd, tokens, turns);
    },
    // The connection is that of the caller.
    close: async () => undefined,
  };
}

/** Sums of decimal fractions: without what adding them up lost. */
function rounded(text: string | undefined): number {
  return Math.round(Number(text) * 1e9) / 1e9;
}
