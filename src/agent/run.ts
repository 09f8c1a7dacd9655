import type { AgentEvent } from '../contract/event.ts';
import type { AssistantMessage, Message, ToolCallPart, Usage, UserMessage } from '../contract/message.ts';
import type { ProviderEvent } from '../contract/provider.ts';
import type { ReplyOrigin } from './accumulate.ts';

/** Everything one run needs. Policy is passed in to keep the loop simple. */
export type Run = {
  provider: string;
  model: string;
  /** Grows during the run; the caller of the loop journals each `message` before it takes the next event. */
  history: Message[];
  ask(history: readonly Message[], signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /** The call that was meant by one that is not valid; undefined if it is, or if that is not certain. */
  repair?: ReplyOrigin['repair'];
  /** Answers every call with one `message`, however it ends. */
  act(calls: readonly ToolCallPart[], signal: AbortSignal): AsyncIterable<AgentEvent>;
  /**
   * Shortens what `ask` sends: when it is near the limit, or after the vendor rejected it as too long.
   * Returns whether it is shorter now.
   */
  makeRoom(cause: 'routine' | 'overflow', signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>;
  /** How long to wait before the rest of a reply that broke off with this error is requested; undefined if never. */
  continueAfter?(error: unknown, attempt: number): number | undefined;
  /** Leaves the reasoning so far behind, because the vendor no longer accepts it. */
  dropReasoning?(): Promise<void>;
  /** A prompt that was sent during the run, for its next request; null if there is none. */
  steer?(): Promise<UserMessage | null>;
  /** What to tell a model that repeats itself; null if it does not. Throws when it continues. */
  watch?(history: readonly Message[]): UserMessage | null;
  /** Why the run must end after this turn; null if it may continue. */
  halted?(): string | null;
  /** May change a reply before it is saved. */
  transformMessage?(message: AssistantMessage): Promise<AssistantMessage>;
  costOf(usage: Usage): number | null;
  maxTurns: number;
  signal: AbortSignal;
};
