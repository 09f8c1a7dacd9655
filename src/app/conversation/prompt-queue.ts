import type { ImagePart } from '../../contract/message.ts';

/** What a user sends. Lines that start with `/` or `!` are recognized by the conversation. */
export type TypedPrompt = { text: string; images: readonly ImagePart[] };

/** Prompts typed while something runs, oldest first. A frontend shows them, and its user can take the last one back. */
export class PromptQueue {
  readonly #onChange: (waiting: readonly TypedPrompt[]) => void;
  #waiting: readonly TypedPrompt[] = [];
  /** The waiter for the next prompt. */
  #taker: ((prompt: TypedPrompt | null) => void) | null = null;
  #ended = false;

  constructor(onChange: (waiting: readonly TypedPrompt[]) => void) {
    this.#onChange = onChange;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(prompt: TypedPrompt): void {
    if (this.#taker) this.#give(prompt);
    else this.#change([...this.#waiting, prompt]);
  }

  /** The oldest prompt, or the next to be added. Null at the end of input. */
  async next(): Promise<TypedPrompt | null> {
    if (this.#ended) return null;
    const [oldest, ...rest] = this.#waiting;
    if (oldest) this.#change(rest);
    return oldest ?? new Promise((take) => (this.#taker = take));
  }

  /** Removes the newest prompt, for editing. */
  takeBack(): TypedPrompt | null {
    const newest = this.#waiting.at(-1) ?? null;
    if (newest) this.#change(this.#waiting.slice(0, -1));
    return newest;
  }

  /** Ends the input: nobody waits for a prompt from now on. */
  end(): void {
    this.#ended = true;
    this.#give(null);
  }

  #give(prompt: TypedPrompt | null): void {
    const take = this.#taker;
    this.#taker = null;
    take?.(prompt);
  }

  #change(waiting: readonly TypedPrompt[]): void {
    this.#waiting = waiting;
    this.#onChange(waiting);
  }
}
