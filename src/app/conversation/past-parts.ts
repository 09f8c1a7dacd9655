import { typedText } from '../../commands/prompts.ts';
import type { Message, ToolCallPart } from '../../contract/message.ts';

/** A part of a saved conversation, for people. A call is shown with its answer. */
export type PastPart =
  | { type: 'prompt' | 'text' | 'thinking'; text: string }
  | { type: 'call'; call: ToolCallPart }
  /** Why an answer ends early. */
  | { type: 'end'; text: string };

/** The parts of a saved message; none for the answer to a call. */
export function pastParts(message: Message): PastPart[] {
  if (message.role === 'tool') return [];
  if (message.role === 'user') return worded('prompt', typedText(message).trim());
  const { content, stopReason } = message;
  const end = stopReason === 'aborted' ? 'Interrupted.' : 'The answer was cut off here.';
  return [
    ...content.flatMap((part): PastPart[] =>
      part.type === 'tool_call' ? [{ type: 'call', call: part }] : worded(part.type, part.text),
    ),
    ...(stopReason === 'aborted' || stopReason === 'cut' ? worded('end', end) : []),
  ];
}

function worded(type: 'prompt' | 'text' | 'thinking' | 'end', text: string): PastPart[] {
  return text.trim() === '' ? [] : [{ type, text }];
}
