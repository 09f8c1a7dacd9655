import type { Task, TaskResult } from '../task.ts';
import { type Summary, summarize } from './summary.ts';

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

/** Counts what ends while a batch runs. Adding a result costs the same, however many there are. */
export class ProgressCounter {
  readonly #summary: Summary;
  readonly #began = performance.now();
  #ended = 0;
  #running = 0;

  constructor(tasks: readonly Task[], results: ReadonlyMap<string, TaskResult>) {
    this.#summary = summarize(tasks, results);
  }

  started(): void {
    this.#running += 1;
  }

  /** Without a result: it was interrupted. */
  ended(result: TaskResult | null): void {
    this.#running -= 1;
    if (!result) return;
    this.#ended += 1;
    const summary = this.#summary;
    if (result.status === 'done') summary.done += 1;
    else summary.failed += 1;
    summary.open -= 1;
    summary.costUsd += result.costUsd ?? 0;
    summary.hasUnknownCost ||= result.costUsd === null;
    summary.tokens += result.tokens;
    summary.durationMs += result.durationMs;
  }

  get progress(): Progress {
    const elapsedMs = performance.now() - this.#began;
    const perMinute = this.#ended === 0 ? null : this.#ended / (elapsedMs / 60_000);
    const leftMs = perMinute === null ? null : (this.#summary.open / perMinute) * 60_000;
    return { ...this.#summary, running: this.#running, perMinute, leftMs, elapsedMs };
  }
}
