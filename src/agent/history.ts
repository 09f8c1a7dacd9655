import { type Message, type ToolCallPart, type ToolMessage, toolCallsOf } from '../contract/message.ts';

/** The latest call with this id. */
export function callIn(history: readonly Message[], id: string): ToolCallPart | undefined {
  for (let i = history.length - 1; i >= 0; i--) {
    const message = history[i];
    if (message?.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool_call' && part.id === id) return part;
  }
  return undefined;
}

/** The last successful call of a tool, with its answer. */
export function lastDone(
  history: readonly Message[],
  name: string,
): { call: ToolCallPart; answer: ToolMessage } | undefined {
  const answer = history.findLast(
    (message) => message.role === 'tool' && message.name === name && message.success,
  );
  const call = answer?.role === 'tool' ? callIn(history, answer.callId) : undefined;
  return answer?.role === 'tool' && call ? { call, answer } : undefined;
}

/** Unanswered calls in the history, in call order. */
export function openCallsOf(history: readonly Message[]): ToolCallPart[] {
  const answered = new Set(history.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])));
  return history
    .flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []))
    .filter((call) => !answered.has(call.id));
}

/** What the journal knows about calls that were running when the process died. */
export type Unfinished = { started: ReadonlySet<string>; answered: ReadonlyMap<string, ToolMessage> };

/**
 * The answer to a call left open by a dead process: the recorded one, or a note that its outcome is unknown.
 * Such a call never runs again without asking.
 */
export function closeCall(
  call: ToolCallPart,
  { started, answered }: Unfinished,
  timestamp: string,
): ToolMessage {
  const given = answered.get(call.id);
  if (given) return given;
  return failedAnswer(call, started.has(call.id) ? OUTCOME_UNKNOWN : NEVER_RAN, timestamp);
}

const OUTCOME_UNKNOWN =
  'The assistant stopped while this call was running; its outcome is unknown. Check before repeating it.';
const NEVER_RAN = 'The assistant stopped before this call ran; it did not happen.';

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
