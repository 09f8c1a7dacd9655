import { isTrouble, MOST_TROUBLES } from '../task.ts';
import type { AttemptEnd } from './attempt.ts';

const LONGEST_MS = 600_000;

/**
 * Lets a worker pause whose tasks all fail for reasons that are not theirs (a full disk, a rejected key, tasks that it cannot read): it would fail
 * one task after the other, faster than others do them. After the pause it tries one, and then takes as many as
 * before, or pauses for twice as long.
 */
export class Breaker {
  readonly #concurrency: number;
  readonly #firstMs: number;
  #troubles = 0;
  #pauses = 0;
  #until = 0;
  #reason = '';
  #canRead = false;

  constructor({ concurrency, firstMs }: { concurrency: number; firstMs: number }) {
    this.#concurrency = concurrency;
    this.#firstMs = firstMs;
  }

  /** How a task ended. Returns the length of the pause that begins with it, or null. */
  take(end: AttemptEnd): number | null {
    if (end.type === 'skipped' && end.isUnreadable) return this.#takeUnreadable(end.reason);
    const outcome = end.type === 'again' ? end : 'result' in end ? end.result : null;
    if (!outcome) return null;
    this.#canRead = true;
    if (!isTrouble(outcome)) {
      this.#troubles = 0;
      this.#pauses = 0;
      return null;
    }
    this.#troubles += 1;
    this.#reason = outcome.reason ?? '';
    // Tasks that were still running when it began to pause.
    if (this.leftMs > 0) return null;
    if (this.#pauses === 0 && this.#troubles < Math.max(MOST_TROUBLES, 2 * this.#concurrency)) return null;
    return this.#pause();
  }

  /** A worker that has read no task yet may have the wrong key, and would hold up those who have the right one. */
  #takeUnreadable(reason: string): number | null {
    if (this.#canRead || this.leftMs > 0) return null;
    this.#reason = reason;
    // The next task may be one for it.
    this.#pauses = 0;
    return this.#pause();
  }

  #pause(): number {
    const ms = Math.min(LONGEST_MS, this.#firstMs * 2 ** this.#pauses);
    this.#pauses += 1;
    this.#until = performance.now() + ms;
    return ms;
  }

  /** Whether it has read a task. */
  get canRead(): boolean {
    return this.#canRead;
  }

  /** How many tasks the worker may run now. */
  get most(): number {
    if (this.leftMs > 0) return 0;
    return this.#pauses > 0 ? 1 : this.#concurrency;
  }

  /** Until the pause is over. */
  get leftMs(): number {
    return Math.max(0, this.#until - performance.now());
  }

  /** Why the last tasks failed, if it does not run as many as it could. */
  get trouble(): string | null {
    return this.#pauses > 0 ? this.#reason : null;
  }
}
