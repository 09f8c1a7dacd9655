const TICK_MS = 25;

/**
 * Runs `late` after this time, excluding the time in which this process was too busy to handle what arrives:
 * an answer that is already there is handled first. Returns what cancels it.
 */
export function afterListening(ms: number, late: () => void): () => void {
  const tick = Math.min(TICK_MS, ms);
  let left = ms;
  const clock = setInterval(() => {
    left -= tick;
    if (left > 0) return;
    clearInterval(clock);
    late();
  }, tick);
  clock.unref();
  return () => clearInterval(clock);
}

/** A timeout that excludes the time in which this process was too busy to handle responses. */
export function listeningTime(ms: number): AbortSignal {
  const end = new AbortController();
  afterListening(ms, () => end.abort(new Error(`No answer within ${ms} ms.`)));
  return end.signal;
}

/** The time in which this process handled what arrived. A stall counts as two ticks at most, however long it was. */
export class ListeningClock {
  #counted = 0;
  #countedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  now(): number {
    return this.#counted + Math.min(performance.now() - this.#countedAt, 2 * TICK_MS);
  }

  /** It stands still otherwise. */
  run(runs: boolean): void {
    if (runs === (this.#timer !== undefined)) return;
    clearInterval(this.#timer);
    this.#timer = runs ? setInterval(() => this.#count(), TICK_MS).unref() : undefined;
    this.#count();
  }

  #count(): void {
    this.#counted = this.now();
    this.#countedAt = performance.now();
  }
}
