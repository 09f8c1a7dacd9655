import { appliesDuringRun, isCommandLine } from '../../commands/dispatch.ts';
import { ownCommandIn } from '../../commands/own-command.ts';
import type { ImagePart, Sent, TextPart } from '../../contract/message.ts';

/**
 * What a user sends. Lines that start with `/` or `!` are recognized by the conversation. `after`: it waits
 * until the current run has ended. `resumes`: the last run goes on, without a prompt. `sent`: in a session with
 * several participants. `context`: what a program has attached to it.
 */
export type TypedPrompt = {
  text: string;
  images: readonly ImagePart[];
  context?: readonly TextPart[];
  after?: true;
  resumes?: true;
  sent?: Sent;
};

/** Prompts for the next step of a run. They stay in the queue until they are claimed. */
export type WaitingPrompts = {
  prompts: readonly TypedPrompt[];
  /** Removes them from the queue; false if one of them was taken back. */
  claim(): boolean;
};

export type PromptQueueOptions = {
  onChange(waiting: readonly TypedPrompt[]): void;
  /** A run continues with these prompts. */
  onClaimed?(prompts: readonly TypedPrompt[]): void;
  /** When a prompt reaches the model: with the next step of the run, or after the run. Default: `steer`. */
  queue?: 'steer' | 'after';
};

/**
 * Prompts typed while something runs, oldest first. A run may claim those that steer it; the others are sent
 * one by one when it has ended. A frontend shows them, and its user can take the last one back.
 */
export class PromptQueue {
  readonly #options: PromptQueueOptions;
  #waiting: readonly TypedPrompt[] = [];
  /** The waiter for the next prompt. */
  #taker: ((prompt: TypedPrompt | null) => void) | null = null;
  #ended = false;

  constructor(options: PromptQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(prompt: TypedPrompt): void {
    if (this.#taker) this.#give(prompt);
    else if (this.#options.queue === 'after') this.#change([...this.#waiting, { ...prompt, after: true }]);
    else this.#change([...this.#waiting, prompt]);
  }

  /** The oldest prompt, or the next to be added. Null at the end of input. */
  async next(): Promise<TypedPrompt | null> {
    if (this.#ended) return null;
    const [oldest, ...rest] = this.#waiting;
    if (oldest) this.#change(rest);
    return oldest ?? new Promise((take) => (this.#taker = take));
  }

  /** The prompts for the next step of the current run; null if there are none. */
  forNextStep(): WaitingPrompts | null {
    const prompts = this.#ended ? [] : steeringPrompts(this.#waiting);
    if (prompts.length === 0) return null;
    const claim = () => {
      if (this.#ended || !prompts.every((prompt) => this.#waiting.includes(prompt))) return false;
      this.#change(this.#waiting.filter((prompt) => !prompts.includes(prompt)));
      this.#options.onClaimed?.(prompts);
      return true;
    };
    return { prompts, claim };
  }

  /** Removes the newest prompt that fits, for editing. */
  takeBack(fits: (prompt: TypedPrompt) => boolean = () => true): TypedPrompt | null {
    const newest = this.#waiting.findLast(fits) ?? null;
    if (newest) this.#change(this.#waiting.filter((prompt) => prompt !== newest));
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
    this.#options.onChange(waiting);
  }
}

/**
 * Those of the waiting prompts that a run may take. A command for the run comes alone; any other command waits for the end of the run, and whatever was
 * typed after it may depend on it.
 */
export function steeringPrompts(waiting: readonly TypedPrompt[]): readonly TypedPrompt[] {
  const [first] = waiting;
  if (first && !first.after && appliesDuringRun(first.text)) return [first];
  const command = waiting.findIndex(({ text }) => isCommandLine(text) || ownCommandIn(text) !== null);
  return waiting.slice(0, command < 0 ? waiting.length : command).filter(({ after }) => !after);
}
