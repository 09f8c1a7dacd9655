import { BudgetReachedError, ContextOverflowError, ProviderError, StuckError } from '../contract/errors.ts';
import type { RunError } from '../contract/event.ts';
import { nextStep, OVERFLOW_HINT } from '../providers/errors/next-step.ts';

/** The message for a failure that ends a run: what happened and what to do. Null for a bug. */
export function runErrorOf(error: unknown, model: string): RunError | null {
  if (!(error instanceof Error)) return null;
  const { message } = error;
  if (isOverflow(error)) return { message, kind: 'overflow', hint: OVERFLOW_HINT };
  if (error instanceof BudgetReachedError || error instanceof StuckError)
    return { message, hint: error.hint };
  if (!(error instanceof ProviderError)) return null;
  return { message, kind: error.kind, hint: nextStep(error, model) };
}

export function isOverflow(error: unknown): boolean {
  return (
    error instanceof ContextOverflowError || (error instanceof ProviderError && error.kind === 'overflow')
  );
}
