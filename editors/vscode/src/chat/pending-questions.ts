/** Questions to the user that wait for an answer, by their id. The first answer counts; null is none. */
export class PendingQuestions {
  readonly #open = new Map<string, (answer: string | null) => void>();
  #count = 0;

  newId(): string {
    this.#count++;
    return `question-${this.#count}`;
  }

  /** Resolves with the answer, or with null when the signal withdraws the question. */
  ask(id: string, signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      const withdraw = () => void this.answer(id, null);
      if (signal.aborted) withdraw();
      else signal.addEventListener('abort', withdraw, { once: true });
    });
  }

  /** False if nobody waits for it any more. */
  answer(id: string, answer: string | null): boolean {
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    resolve?.(answer);
    return resolve !== undefined;
  }

  withdrawAll(): void {
    for (const id of [...this.#open.keys()]) this.answer(id, null);
  }
}
