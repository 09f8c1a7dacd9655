import { PACING, type PaceState } from '../../contract/shared-budget.ts';

/** The state after asking at this time for the next call. */
export function paceNext(
  state: PaceState | undefined,
  now: number,
): { waitMs: number; state: PaceState | undefined } {
  if (!state) return { waitMs: 0, state };
  // A clock that was set back must not delay anything for longer.
  const nextAt = Math.min(state.nextAt, now + LONGEST_WAIT_MS);
  if (nextAt > now) return { waitMs: nextAt - now, state: { ...state, nextAt } };
  return { waitMs: 0, state: state.gapMs === 0 ? undefined : { ...state, nextAt: now + state.gapMs } };
}

export function paceAfter(
  state: PaceState | undefined,
  { rejected, retryAfterMs = 0, now }: { rejected: boolean; retryAfterMs?: number | undefined; now: number },
): PaceState | undefined {
  const { gapMs, nextAt } = state ?? { gapMs: 0, nextAt: 0 };
  const { firstGapMs, longestGapMs, recovery, shortestGapMs } = PACING;
  if (rejected) {
    const slower = Math.min(Math.max(gapMs * 2, firstGapMs), longestGapMs);
    const wait = Math.max(slower, Math.min(retryAfterMs, LONGEST_WAIT_MS));
    return { gapMs: slower, nextAt: Math.max(nextAt, now + wait) };
  }
  const faster = gapMs * recovery;
  return faster < shortestGapMs ? undefined : { gapMs: faster, nextAt };
}

/** A vendor may say to come back tomorrow: retries report that instead of waiting. */
const LONGEST_WAIT_MS = 60_000;
