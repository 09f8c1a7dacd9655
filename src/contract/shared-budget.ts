import type { Limit } from './limit.ts';
import type { Quota, QuotaLimits } from './quota.ts';

export type LimitAmounts = Record<Limit['unit'], number>;

/**
 * One budget for several processes, on this machine or on many. A call reserves its maximum before it is
 * sent, so that all calls together never exceed a limit.
 *
 * A reservation ends with what the call cost. If nobody can say what it cost, because its process died or
 * the answer broke off, it counts as spent in full: the vendor may have charged for it.
 */
export type SharedBudget = {
  readonly limits: readonly Limit[];
  /** By provider/model, with `*` as a wildcard. Counted with `quota`. */
  readonly quotas: Readonly<Record<string, QuotaLimits>>;
  readonly quota: Quota;
  readonly pace: Pace;
  totals(): Promise<{ spent: LimitAmounts; held: LimitAmounts }>;
  /** False if it does not fit now: others have reserved something since `totals`. May be repeated. */
  reserve(id: string, most: LimitAmounts): Promise<boolean>;
  /** What the call cost; zeros if it certainly cost nothing. May be repeated. */
  settle(id: string, used: LimitAmounts): Promise<void>;
  close(): Promise<void>;
};

/** The speed at which all processes together call a vendor, who rejects calls that are too many. */
export type Pace = {
  /** Milliseconds until the next call may be sent; 0 means send it now. */
  next(vendor: string): Promise<number>;
  /** How a call ended. `rejected`: too many requests, and when the vendor says to come back. */
  report(vendor: string, outcome: { rejected: boolean; retryAfterMs?: number | undefined }): Promise<void>;
};

/** `gapMs` is the time between two calls, 0 for no limit; no call is sent before `nextAt`. */
export type PaceState = { gapMs: number; nextAt: number };

/** Each rejection doubles the time between calls; each success shortens it. */
export const PACING = { firstGapMs: 100, longestGapMs: 10_000, recovery: 0.8, shortestGapMs: 20 } as const;

/** The hint of a run that stopped at the limit of its batch. */
export const batchLimitHint = 'Resume the batch with a higher --budget.';

/** The hint of a run that stopped at its own limit. */
export const runLimitHint = 'Continue with the next prompt, or use --continue with a higher --budget.';

/** Sums of decimal fractions differ by this much at most. */
export const ROUNDING = 1e-8;
