import type { Answered, PastCall } from '../../../app/conversation/past-calls.ts';
import { type PastPart, pastParts } from '../../../app/conversation/past-parts.ts';
import type { Message, ToolMessage } from '../../../contract/message.ts';
import { visible } from '../../../lib/text/printable.ts';
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
  return pastParts(message).flatMap((part) => partItems(part, parts));
}

function partItems(part: PastPart, parts: HistoryParts): Item[] {
  switch (part.type) {
    case 'prompt': {
      const { text, sent } = part;
      if (text === '') return [];
      return [{ type: 'prompt', text: sent?.by === undefined ? text : `${visible(sent.by)}: ${text}` }];
    }
    case 'text': {
      const lines = parts.markdown(part.text);
      return lines.length === 0 ? [] : [{ type: 'answer', lines, first: true }];
    }
    case 'thinking':
      return [{ type: 'thought', text: part.text, durationMs: 0, folded: false }];
    case 'call': {
      const past = parts.describe({ call: part.call, answer: parts.answerTo(part.call.id) });
      return [{ type: 'call', ...past, durationMs: 0, folded: parts.folded }];
    }
    case 'end':
      return [{ type: 'notice', level: 'warn', text: part.text }];
    default:
      return part satisfies never;
  }
}
