import type { QuotaLimits } from '../../contract/quota.ts';

export type Cost = { requests: number; tokens: number };

/** A cost and its time: milliseconds since 1970. */
export type Taken = Cost & { at: number };

const MINUTE_MS = 60_000;

/**
 * What still counts, and how long to wait until `cost` fits; 0 means now. No minute, wherever it starts,
 * exceeds the limits; only a cost above a limit by itself is admitted, once nothing else counts.
 */
export function waitFor(
  taken: readonly Taken[],
  { cost, limits }: { cost: Cost; limits: QuotaLimits },
  now: number,
): { waitMs: number; counting: Taken[] } {
  // A clock that was set back must not delay anything by more than a minute.
  const counting = taken.filter(({ at }) => at > now - MINUTE_MS && at <= now).sort((a, b) => a.at - b.at);
  const waitOf = (unit: keyof Cost, limit = Number.POSITIVE_INFINITY): number => {
    let used = counting.reduce((sum, one) => sum + one[unit], 0);
    let waitMs = 0;
    for (const one of counting) {
      if (cost[unit] === 0 || used === 0 || used + cost[unit] <= limit) break;
      used -= one[unit];
      waitMs = one.at + MINUTE_MS - now;
    }
    return waitMs;
  };
  const waitMs = Math.max(
    waitOf('requests', limits.requestsPerMinute),
    waitOf('tokens', limits.tokensPerMinute),
  );
  return { waitMs, counting };
}
