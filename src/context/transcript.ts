import { type Message, textOf, toolCallsOf } from '../contract/message.ts';
import { truncateText } from '../lib/text/truncate.ts';

/** Maximum characters per item; the next row is used if the transcript would become too long. */
const SIZES = [
  { said: 4000, input: 600, output: 1200 },
  { said: 1500, input: 300, output: 400 },
  { said: 600, input: 150, output: 150 },
] as const;

/** A conversation as text for a summary, at most this many characters. */
export function transcriptOf(messages: readonly Message[], maxCharacters: number): string {
  let text = '';
  for (const size of SIZES) {
    text = messages.map((message) => entryOf(message, size)).join('\n');
    if (text.length <= maxCharacters) return text;
  }
  const half = Math.floor(maxCharacters / 2) - 50;
  return truncateText(text, { max: maxCharacters, head: half, tail: half });
}

function entryOf(message: Message, size: (typeof SIZES)[number]): string {
  switch (message.role) {
    case 'user':
      return `USER: ${cut(textOf(message), size.said)}`;
    case 'assistant': {
      const said = textOf(message);
      const calls = toolCallsOf(message).map(
        ({ name, input }) => `CALL ${name}: ${cut(JSON.stringify(input ?? {}), size.input)}`,
      );
      return [...(said === '' ? [] : [`ASSISTANT: ${cut(said, size.said)}`]), ...calls].join('\n');
    }
    case 'tool':
      return `${message.success ? 'RESULT' : 'FAILED'} ${message.name}: ${cut(textOf(message), size.output)}`;
    default:
      message satisfies never;
      return '';
  }
}

function cut(text: string, max: number): string {
  return truncateText(text.trim(), { max, head: Math.floor(max * 0.7), tail: Math.floor(max * 0.2) });
}
