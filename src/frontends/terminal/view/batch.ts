/** What is batched: text of the answer, or of thinking. */
export type Delta = { as: 'answer' | 'thought'; text: string };

/**
 * The first text after a pause is emitted immediately; then text is batched for this time: fast enough to look
 * continuous, and few enough frames. The renderer waits longer for a terminal that is behind.
 */
const INTERVAL_MS = 33;

export type BatchClock = {
  now(): number;
  /** Returns a function that cancels it. */
  later(ms: number, wake: () => void): () => void;
};

/** Batches the small pieces of a stream, so that the screen changes at a steady rate. */
export class Batch {
  readonly #clock: BatchClock;
  readonly #tell: (delta: Delta) => void;
  #pending: Delta | null = null;
  #told = Number.NEGATIVE_INFINITY;
  #callOff: (() => void) | null = null;

  constructor(clock: BatchClock, tell: (delta: Delta) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  push({ as, text }: Delta): void {
    if (text === '') return;
    if (this.#pending && this.#pending.as !== as) this.#flush();
    this.#pending = { as, text: (this.#pending?.text ?? '') + text };
    const wait = this.#told + INTERVAL_MS - this.#clock.now();
    if (wait <= 0) this.#flush();
    else this.#callOff ??= this.#clock.later(wait, () => this.#flush());
  }

  /** Removes and returns the text that was not emitted yet. */
  drain(): Delta | null {
    const rest = this.#pending;
    this.#pending = null;
    this.#callOff?.();
    this.#callOff = null;
    return rest;
  }

  #flush(): void {
    const delta = this.drain();
    if (!delta) return;
    this.#told = this.#clock.now();
    this.#tell(delta);
  }
}

export const systemClock: BatchClock = {
  now: () => performance.now(),
  later: (ms, wake) => {
    const timer = setTimeout(wake, ms);
    return () => clearTimeout(timer);
  },
};
