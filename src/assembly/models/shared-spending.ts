import { BudgetReachedError, ProviderError } from '../../contract/errors.ts';
import type { LimitAmounts, SharedBudget } from '../../contract/shared-budget.ts';
import { limited, raceAbort } from '../../lib/async/abort.ts';

export const NOTHING: LimitAmounts = { usd: 0, tokens: 0, turns: 0 };

/** How long to wait for the place that keeps the budget: nothing is sent without it. */
const REACHABLE_MS = 300_000;

/** A session's part in a budget that several processes share. */
export class SharedSpending {
  readonly #budget: SharedBudget;
  readonly #warn: (text: string) => void;

  constructor(budget: SharedBudget, warn: (text: string) => void) {
    this.#budget = budget;
    this.#warn = warn;
  }

  get limits() {
    return this.#budget.limits;
  }

  totals(signal?: AbortSignal): ReturnType<SharedBudget['totals']> {
    return this.#reach(this.#budget.totals(), signal);
  }

  reserve(id: string, most: LimitAmounts, signal?: AbortSignal): Promise<boolean> {
    return this.#reach(this.#budget.reserve(id, most), signal);
  }

  /** If it fails, the reservation stays, and counts as spent once this process is gone. */
  async settle(id: string, used: LimitAmounts): Promise<void> {
    try {
      await this.#reach(this.#budget.settle(id, used));
    } catch (error) {
      this.#warn(`A call counts in full in the budget of the batch. ${(error as Error).message}`);
    }
  }

  async #reach<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await raceAbort(work, limited(REACHABLE_MS, signal));
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new BudgetReachedError(
        `Cannot enforce the budget of the batch: ${(error as Error).message}.`,
        'Nothing is sent without it. Run the task again once the budget can be reached.',
      );
    }
  }
}

/** Whether a failed call certainly cost nothing: the vendor answered with an error, or was not reached. */
export function isFree(error: unknown): boolean {
  return error instanceof ProviderError && (error.status !== undefined || error.kind === 'network');
}
