import type { StopReason } from '@agentclientprotocol/sdk';
import { PromptQueue, type TypedPrompt, type WaitingPrompts } from '../../app/conversation/prompt-queue.ts';
import type { SlashCommand } from '../../contract/command.ts';

export type TurnEnd = StopReason | { error: unknown };

/**
 * Who sent a prompt, and the commands it may use, if they differ from those of the session. `isGuest`: somebody who was
 * invited, so that what it does must stay within the session.
 */
export type SentPrompt = TypedPrompt & {
  from?: { id: string; name: string };
  commands?: readonly SlashCommand[];
  isGuest?: true;
  /** Whether its sender has access still. */
  isAllowed?(): Promise<boolean>;
};

type TurnListeners = {
  /** A run begins or continues with these prompts. */
  taken(prompts: readonly SentPrompt[]): void;
  /** These wait now; no run has taken them. */
  waiting(prompts: readonly SentPrompt[]): void;
  /** It was answered, or taken back. */
  settled(prompt: SentPrompt): void;
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
  /** They wait for the next prompt. */
  #held: readonly SentPrompt[] = [];
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
    return [...this.#held, ...this.#waiting];
  }

  get isBusy(): boolean {
    return this.#current.length > 0;
  }

  /** Resolves when the run that answers it has ended. */
  send(prompt: SentPrompt): Promise<StopReason> {
    return new Promise((done, failed) => {
      this.#turns.set(prompt, { done, failed });
      const held = this.#held;
      this.#held = [];
      for (const one of prompt.resumes ? [prompt, ...held] : [...held, prompt]) this.#queue.add(one);
    });
  }

  /** Nothing begins because of these: they are sent with the next prompt, after what it resumes. */
  hold(prompts: readonly SentPrompt[]): void {
    this.#held = prompts;
    this.#on.waiting(this.waiting);
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

  /** Cancels the newest prompt that no run has taken yet and that fits. */
  takeBack(fits: (prompt: SentPrompt) => boolean = () => true): SentPrompt | null {
    const prompt: SentPrompt | null = this.#queue.takeBack(fits) ?? this.#takeHeld(fits);
    if (prompt) this.#settleOne(prompt, 'cancelled');
    return prompt;
  }

  #takeHeld(fits: (prompt: SentPrompt) => boolean): SentPrompt | null {
    const newest = this.#held.findLast(fits) ?? null;
    if (newest) this.hold(this.#held.filter((prompt) => prompt !== newest));
    return newest;
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

  #settleOne(prompt: SentPrompt, end: TurnEnd): void {
    const turn = this.#turns.get(prompt);
    this.#turns.delete(prompt);
    this.#on.settled(prompt);
    if (typeof end === 'string') turn?.done(end);
    else turn?.failed(end.error);
  }

  #newQueue(): PromptQueue {
    return new PromptQueue({
      onChange: (waiting) => {
        this.#waiting = waiting;
        this.#on.waiting(this.waiting);
      },
      onClaimed: (prompts) => this.#take(prompts),
    });
  }
}
