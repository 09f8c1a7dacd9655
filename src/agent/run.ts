import type { AgentEvent } from '../contract/event.ts';
import type { AssistantMessage, Message, ToolCallPart, Usage } from '../contract/message.ts';
import type { ProviderEvent } from '../contract/provider.ts';

/** All that one run needs; policy comes in from outside, so that the loop stays a loop. */
export type Run = {
  provider: string;
  model: string;
  /** Grows as the run goes on; whoever drives the loop journals each `message` before asking for the next event. */
  history: Message[];
  ask(history: readonly Message[], signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /** Answers every call with one `message`, however it ends. */
  act(calls: readonly ToolCallPart[], signal: AbortSignal): AsyncIterable<AgentEvent>;
  /**
   * Makes what `ask` sends smaller: where it must be, or after the vendor refused it as too long. Returns whether it
   * is smaller now.
   */
  makeRoom(cause: 'routine' | 'overflow', signal: AbortSignal): AsyncGenerator<AgentEvent, boolean>;
  /** Has the last word on a reply before it is kept. */
  heed?(message: AssistantMessage): Promise<AssistantMessage>;
  costOf(usage: Usage): number | null;
  maxTurns: number;
  signal: AbortSignal;
};
