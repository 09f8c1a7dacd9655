import { type AgentEvent, innermost } from '../contract/event.ts';
import { type Message, type ToolCall, toolCallsOf } from '../contract/message.ts';
import type { PermissionRequest } from '../contract/permission.ts';

/** Where a conversation stands. */
export type AgentState = Progress & { conversationId: string; messages: readonly Message[] };

/** What is under way, folded from the events. */
export type Progress = {
  /** Calls without an answer yet. */
  toolCalls: readonly ToolCall[];
  /** Questions a person has not answered yet. */
  pendingApprovals: readonly PermissionRequest[];
  /** What the last request took of the model's window. */
  context: { totalTokens: number; maxTokens: number };
};

export function reduceProgress(state: Progress, event: AgentEvent): Progress {
  switch (event.type) {
    case 'subagent': {
      const { event: inner } = innermost(event);
      // Its messages and its window are its own; a person is asked for all agents alike.
      return inner.type === 'question' || inner.type === 'judged' ? reduceProgress(state, inner) : state;
    }
    case 'message':
      return { ...state, toolCalls: pendingAfter(state.toolCalls, event.message) };
    case 'question':
      return { ...state, pendingApprovals: [...state.pendingApprovals, event.request] };
    case 'judged':
      return {
        ...state,
        pendingApprovals: state.pendingApprovals.filter((request) => request.callId !== event.callId),
      };
    case 'usage': {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
      const totalTokens = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
      return { ...state, context: { ...state.context, totalTokens } };
    }
    case 'end':
      return { ...state, toolCalls: [], pendingApprovals: [] };
    default:
      return state;
  }
}

function pendingAfter(pending: readonly ToolCall[], message: Message): readonly ToolCall[] {
  if (message.role === 'tool') return pending.filter((call) => call.id !== message.callId);
  return message.role === 'assistant' ? [...pending, ...toolCallsOf(message)] : pending;
}
