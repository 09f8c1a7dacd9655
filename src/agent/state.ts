import type { AgentEvent } from '../contract/event.ts';
import { type Message, type ToolCall, toolCallsOf } from '../contract/message.ts';

/** The current state of a conversation. */
export type AgentState = Progress & { conversationId: string; messages: readonly Message[] };

/** The work in progress, folded from the events. */
export type Progress = {
  /** Calls without an answer. */
  toolCalls: readonly ToolCall[];
  /** Tokens of the model's window used by the last request. */
  context: { totalTokens: number; maxTokens: number };
};

export function reduceProgress(state: Progress, event: AgentEvent): Progress {
  switch (event.type) {
    case 'message':
      return { ...state, toolCalls: pendingAfter(state.toolCalls, event.message) };
    case 'usage': {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
      const totalTokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
      return { ...state, context: { ...state.context, totalTokens } };
    }
    case 'end':
      return { ...state, toolCalls: [] };
    default:
      return state;
  }
}

function pendingAfter(pending: readonly ToolCall[], message: Message): readonly ToolCall[] {
  if (message.role === 'tool') return pending.filter((call) => call.id !== message.callId);
  return message.role === 'assistant' ? [...pending, ...toolCallsOf(message)] : pending;
}
