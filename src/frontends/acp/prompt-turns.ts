import type { StopReason } from '@agentclientprotocol/sdk';
import { PromptQueue, type TypedPrompt, type WaitingPrompts } from '../../app/conversation/prompt-queue.ts';
import type { SlashCommand } from '../../contract/command.ts';

export type TurnEnd = StopReason | { error: unknown };

/** Who sent a prompt, and the commands it may use, if they differ from those of the session. */
export type SentPrompt = TypedPrompt & {
  from?: { id: string; name: string };
  commands?: readonly SlashCommand[];
};

type TurnListeners = {
  /** A run begins or continues with these prompts. */
  taken(prompts: readonly SentPrompt[]): void;
  /** These wait now; no run has taken them. */
  waiting(prompts: readonly SentPrompt[]): void;
};

type Turn = { done(reason: StopReason): void; failed(error: unknown): void };

/**
 * The prompts of a session and who waits for their end. A prompt sent during a run steers it, and ends with
 * it.
 */
export class PromptTurns {
  readonly #on: TurnListeners;
  readonly #turns = new Map<TypedPrompt, Turn>();
  /** What the current run answers. */
  #current: SentPrompt[] = [];
  #waiting: readonly SentPrompt[] = [];
  #queue = this.#newQueue();

  constructor(on: TurnListeners) {
    this.#on = on;
  }

  /** What the current run began with. */
  get first(): SentPrompt | undefined {
    return this.#current[0];
  }

  /** The prompts that no run has taken yet. */
  get waiting(): readonly SentPrompt[] {
    return this.#waiting;
  }

  get isBusy(): boolean {
    return this.#current.length > 0;
  }

  /** Resolves when the run that answers it has ended. */
  send(prompt: SentPrompt): Promise<StopReason> {
    return new Promise((done, failed) => {
      this.#turns.set(prompt, { done, failed });
      this.#queue.add(prompt);
    });
  }

  /** Null after `wake`. */
  async next(): Promise<TypedPrompt | null> {
    const prompt = await this.#queue.next();
    if (prompt) this.#take([prompt]);
    return prompt;
  }

  /** For a run that is going. */
  forNextStep(): WaitingPrompts | null {
    return this.#queue.forNextStep();
  }

  /** The current prompts are answered. */
  settle(end: TurnEnd): void {
    for (const prompt of this.#current.splice(0)) this.#settleOne(prompt, end);
  }

  /** Cancels the prompts that no run has taken yet. */
  dropWaiting(): void {
    while (this.takeBack());
  }

  /** Cancels the newest prompt that no run has taken yet, or the newest of one sender. */
  takeBack(from?: string): SentPrompt | null {
    const prompt: SentPrompt | null = this.#queue.takeBack(
      (one: SentPrompt) => from === undefined || one.from?.id === from,
    );
    if (prompt) this.#settleOne(prompt, 'cancelled');
    return prompt;
  }

  /** Lets whoever waits in `next` go on with null; prompts that wait are kept for the call after that. */
  wake(): void {
    const kept = this.#waiting;
    this.#queue.end();
    this.#queue = this.#newQueue();
    this.#waiting = [];
    for (const prompt of kept) this.#queue.add(prompt);
  }

  #take(prompts: readonly SentPrompt[]): void {
    this.#current.push(...prompts);
    this.#on.taken(prompts);
  }

  #settleOne(prompt: TypedPrompt, end: TurnEnd): void {
    const turn = this.#turns.get(prompt);
    this.#turns.delete(prompt);
    if (typeof end === 'string') turn?.done(end);
    else turn?.failed(end.error);
  }

  #newQueue(): PromptQueue {
    return new PromptQueue({
      onChange: (waiting) => {
        this.#waiting = waiting;
        this.#on.waiting(waiting);
      },
      onClaimed: (prompts) => this.#take(prompts),
    });
  }
}
