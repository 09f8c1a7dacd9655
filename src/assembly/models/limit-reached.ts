import { BudgetReachedError } from '../../contract/errors.ts';
import { formatLimit } from '../../contract/limit.ts';
import { batchLimitHint, runLimitHint } from '../../contract/shared-budget.ts';
import {
  amountsOf,
  describeLimit,
  type PlannedCall,
  type ScopedLimit,
  type SpendingScope,
} from '../../observability/spending/cost.ts';

/** A limit, and how much of it is used. */
export type ReachedLimit = ScopedLimit & { used: number };

const RAISE: Record<SpendingScope, string> = {
  batch: batchLimitHint,
  run: runLimitHint,
  session: 'Raise it with /budget or limits.session, or start a new session.',
  day: 'Raise limits.day, or continue tomorrow.',
};

/** `next`: the call that does not fit. `progress`: what was done so far. */
export function limitReached(
  by: ReachedLimit,
  { next, progress = '' }: { next?: PlannedCall; progress?: string } = {},
): BudgetReachedError {
  const wanted = next && by.limit.unit !== 'turns' ? `, and the next call may need ${needOf(by, next)}` : '';
  return new BudgetReachedError(
    `Limit reached: ${describeLimit(by, by.used)}${wanted}.`,
    [progress, RAISE[by.scope]].filter(Boolean).join('\n'),
  );
}

/** Its prompt alone. */
function needOf({ limit }: ScopedLimit, next: PlannedCall): string {
  const { usd, tokens } = amountsOf({ ...next, outputTokens: 0 }).most;
  return formatLimit(
    limit.unit === 'usd'
      ? { unit: 'usd', amount: Math.ceil(usd * 10_000) / 10_000 }
      : { unit: 'tokens', amount: tokens },
  );
}
