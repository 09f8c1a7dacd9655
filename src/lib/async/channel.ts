/**
 * Connects many writers to one reader. `push` resolves when the reader asks for the next value, that is,
 * after it has processed the pushed one.
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

  /** Values pushed before are still read. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** The reader gets the values pushed before, then the error. */
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
