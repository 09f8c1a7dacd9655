/** What is put together: words of the answer, or of thinking. */
export type Delta = { as: 'answer' | 'thought'; text: string };

/** The first words after a pause are told at once; then as many as come within this time are told together. */
const INTERVAL_MS = 80;

export type BatchClock = {
  now(): number;
  /** Returns the way to call it off. */
  later(ms: number, wake: () => void): () => void;
};

/** Puts the small pieces of a stream together, so that the screen changes a few times a second. */
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

  /** What has not been told yet, which will not be told any more. */
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
