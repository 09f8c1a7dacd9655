import type { Answered, PastCall } from '../../../app/conversation/past-calls.ts';
import { typedText } from '../../../commands/prompts.ts';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../../../contract/message.ts';
import type { Item, Line } from './types.ts';

export type HistoryParts = {
  answerTo(callId: string): ToolMessage | undefined;
  describe(call: Answered): PastCall;
  markdown(text: string): Line[];
  /** Whether long results are shortened. */
  folded: boolean;
};

/** A saved message as items of the transcript. The results of calls are shown with their calls. */
export function messageItems(message: Message, parts: HistoryParts): Item[] {
  switch (message.role) {
    case 'user':
      return promptItems(message);
    case 'assistant':
      return [...message.content.flatMap((part) => partItems(part, parts)), ...endItems(message)];
    case 'tool':
      return [];
    default:
      return message satisfies never;
  }
}

function promptItems(message: UserMessage): Item[] {
  const text = typedText(message).trim();
  return text === '' ? [] : [{ type: 'prompt', text }];
}

function partItems(part: AssistantMessage['content'][number], parts: HistoryParts): Item[] {
  switch (part.type) {
    case 'text': {
      const lines = part.text.trim() === '' ? [] : parts.markdown(part.text);
      return lines.length === 0 ? [] : [{ type: 'answer', lines, first: true }];
    }
    case 'thinking':
      return part.text.trim() === ''
        ? []
        : [{ type: 'thought', text: part.text, durationMs: 0, folded: false }];
    case 'tool_call': {
      const past = parts.describe({ call: part, answer: parts.answerTo(part.id) });
      return [{ type: 'call', ...past, durationMs: 0, folded: parts.folded }];
    }
    default:
      return part satisfies never;
  }
}

function endItems({ stopReason }: AssistantMessage): Item[] {
  if (stopReason === 'aborted') return [{ type: 'notice', level: 'warn', text: 'Interrupted.' }];
  return stopReason === 'cut'
    ? [{ type: 'notice', level: 'warn', text: 'The answer was cut off here.' }]
    : [];
}
