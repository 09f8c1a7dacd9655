import type { AgentEvent } from '../contract/event.ts';
import type { AssistantMessage, Message, ToolCallPart, Usage } from '../contract/message.ts';
import type { ProviderEvent } from '../contract/provider.ts';

/** All that one run needs; policy is passed in, so that the loop stays a loop. */
export type Run = {
  provider: string;
  model: string;
  /** Grows during the run; the driver of the loop journals each `message` before it takes the next event. */
  history: Message[];
  ask(history: readonly Message[], signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /** Answers every call with one `message`, however it ends. */
  act(calls: readonly ToolCallPart[], signal: AbortSignal): AsyncIterable<AgentEvent>;
  /**
   * Makes what `ask` sends smaller: where it must be, or after the vendor refused it as too long. Returns whether it
   * is smaller now.
   */
  makeRoom(cause: 'routine' | 'overflow', signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>;
  /** May change a reply before it is saved. */
  transformMessage?(message: AssistantMessage): Promise<AssistantMessage>;
  costOf(usage: Usage): number | null;
  maxTurns: number;
  signal: AbortSignal;
};
