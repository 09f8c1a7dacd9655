/**
 * Joins many writers to one reader. `push` resolves when the reader has come back for more, that is, when it
 * has dealt with what was pushed: a writer that awaits it acts only after the reader has acted.
 */
export class Channel<T> implements AsyncIterable<T> {
  #waiting: { value: T; taken: () => void }[] = [];
  #wake: (() => void) | undefined;
  #closed = false;
  #failure: { error: unknown } | undefined;

  push(value: T): Promise<void> {
    return new Promise((taken) => {
      this.#waiting.push({ value, taken });
      this.#wake?.();
    });
  }

  /** What was pushed before is still read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** The reader gets what was pushed before, then the error. */
  fail(error: unknown): void {
    this.#failure = { error };
    this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) {
        yield next.value;
        next.taken();
      } else if (this.#closed) {
        if (this.#failure) throw this.#failure.error;
        return;
      } else {
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
        this.#wake = undefined;
      }
    }
  }
}
