import { shownText } from '../../commands/prompts.ts';
import {
  type ImagePart,
  type Message,
  readablePart,
  type Sent,
  type ToolCallPart,
  type UserMessage,
} from '../../contract/message.ts';

/** A part of a saved conversation, for people. A call is shown with its answer. */
export type PastPart =
  | { type: 'prompt'; text: string; images: readonly ImagePart[]; sent?: Sent | undefined }
  | { type: 'text' | 'thinking'; text: string }
  | { type: 'call'; call: ToolCallPart }
  /** Why an answer ends early. */
  | { type: 'end'; text: string };

/** The parts of a saved message; none for the answer to a call. */
export function pastParts(message: Message): PastPart[] {
  if (message.role === 'tool') return [];
  if (message.role === 'user')
    return prompts(message).filter(({ text, images }) => text !== '' || images.length > 0);
  const { content, stopReason } = message;
  const end = stopReason === 'aborted' ? 'Interrupted.' : 'The answer was cut off here.';
  return [
    ...content
      .map(readablePart)
      .flatMap((part): PastPart[] =>
        part.type === 'tool_call' ? [{ type: 'call', call: part }] : worded(part.type, part.text),
      ),
    ...(stopReason === 'aborted' || stopReason === 'cut' ? worded('end', end) : []),
  ];
}

/** One message may hold the prompts of several people. */
function prompts(message: UserMessage): Extract<PastPart, { type: 'prompt' }>[] {
  const { content } = message;
  const starts = content.flatMap((part, index) =>
    part.type === 'text' && part.sent ? [{ ...part, index }] : [],
  );
  if (starts.length === 0) {
    const images = content.filter((part) => part.type === 'image');
    return [{ type: 'prompt', text: shownText(message).trim(), images }];
  }
  return starts.map(({ text, sent, index }, at) => {
    const own = content.slice(index, starts[at + 1]?.index);
    return { type: 'prompt', text: text.trim(), images: own.filter((part) => part.type === 'image'), sent };
  });
}

function worded(type: 'text' | 'thinking' | 'end', text: string): PastPart[] {
  return text.trim() === '' ? [] : [{ type, text }];
}
