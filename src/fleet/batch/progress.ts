import { isOpen, type TaskResult } from '../task.ts';
import type { BatchState } from './batch-store.ts';
import { type Spending, type Summary, summarize } from './summary.ts';

/** What a progress display shows. */
export type Progress = Summary & {
  /** Null if workers on other machines run the tasks. */
  running: number | null;
  /** Tasks per minute since this process began; null before the first has ended. */
  perMinute: number | null;
  /** Until all tasks have ended, at the current rate; null if nobody can say. */
  leftMs: number | null;
  elapsedMs: number;
};

const NOTHING: Spending = { costUsd: 0, tokens: 0, durationMs: 0 };

/** Counts what ends while a batch runs. Adding a result costs the same, however many there are. */
export class ProgressCounter {
  readonly #summary: Summary;
  readonly #began = performance.now();
  #ended = 0;
  #running = 0;

  constructor({ tasks, results, begun }: Pick<BatchState, 'tasks' | 'results' | 'begun'>) {
    this.#summary = summarize(tasks, results, begun);
  }

  started(): void {
    this.#running += 1;
  }

  /** `before`: what was known of it when it began. */
  ended(result: TaskResult, before: Spending = NOTHING): void {
    this.#running -= 1;
    const summary = this.#summary;
    summary.costUsd += (result.costUsd ?? 0) - (before.costUsd ?? 0);
    summary.hasUnknownCost ||= result.costUsd === null;
    summary.tokens += result.tokens - before.tokens;
    summary.durationMs += result.durationMs - before.durationMs;
    if (isOpen(result)) return;
    this.#ended += 1;
    if (result.status === 'done') summary.done += 1;
    else summary.failed += 1;
    summary.open -= 1;
  }

  get progress(): Progress {
    const elapsedMs = performance.now() - this.#began;
    const perMinute = this.#ended === 0 ? null : this.#ended / (elapsedMs / 60_000);
    const leftMs = perMinute === null ? null : (this.#summary.open / perMinute) * 60_000;
    return { ...this.#summary, running: this.#running, perMinute, leftMs, elapsedMs };
  }
}
