import { type Message, type ToolCallPart, type ToolMessage, toolCallsOf } from '../contract/message.ts';

export function callIdsOf(history: readonly Message[]): Set<string> {
  return new Set(
    history.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : [])).map((c) => c.id),
  );
}

/** Calls in the history that nobody has answered, in the order they were made. */
export function openCallsOf(history: readonly Message[]): ToolCallPart[] {
  const answered = new Set(history.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])));
  return history
    .flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
    .filter((call) => !answered.has(call.id));
}

/** A call whose process died under it: nobody knows whether it took effect, and it must not be repeated unasked. */
export function unknownOutcome(call: ToolCallPart, timestamp: string): ToolMessage {
  const text =
    'The assistant stopped while this call was running; its outcome is unknown. Check before repeating it.';
  return failedAnswer(call, text, timestamp);
}

export function failedAnswer(
  call: Pick<ToolCallPart, 'id' | 'name'>,
  text: string,
  timestamp: string,
): ToolMessage {
  return {
    role: 'tool',
    callId: call.id,
    name: call.name,
    success: false,
    content: [{ type: 'text', text }],
    timestamp,
  };
}
