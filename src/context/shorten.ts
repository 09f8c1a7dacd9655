import { type Message, type ToolMessage, textOf } from '../contract/message.ts';
import { boundText } from '../lib/text-bound.ts';

const KEEP_MESSAGES = 10;
const OLD_OUTPUT = { max: 1000, head: 500, tail: 200 };

/** How much of the history's view is given up: nothing, old tool output, or everything old. */
export type ShortenLevel = 0 | 1 | 2;

/**
 * A shorter view of a history; the history itself keeps everything. A call is never parted from its answer, and
 * at least the last ten messages stay whole.
 */
export function shortenView(history: readonly Message[], level: ShortenLevel): readonly Message[] {
  const start = level === 0 ? 0 : startOfTail(history);
  if (start === 0) return history;
  const old = history.slice(0, start);
  const tail = history.slice(start);
  return level === 1 ? [...old.map(boundOutput), ...tail] : [summaryOf(old), ...tail];
}

/** The tail begins with a message of the user or the model, so that no answer stands without its call. */
function startOfTail(history: readonly Message[]): number {
  let start = Math.max(0, history.length - KEEP_MESSAGES);
  while (start > 0 && history[start]?.role === 'tool') start--;
  return start;
}

function boundOutput(message: Message): Message {
  if (message.role !== 'tool') return message;
  const content: ToolMessage['content'] = message.content.map((part) =>
    part.type === 'text'
      ? { type: 'text', text: boundText(part.text, OLD_OUTPUT) }
      : { type: 'text', text: '[image]' },
  );
  return { ...message, content };
}

/** What can be said of the old part without asking a model: what was wanted, and what was answered last. */
function summaryOf(old: readonly Message[]): Message {
  const wanted = old
    .filter((message) => message.role === 'user')
    .map((message) => `- ${boundText(textOf(message), OLD_OUTPUT)}`);
  const said = old.filter((message) => message.role === 'assistant' && textOf(message) !== '').at(-1);
  const lines = ['Previous context summary:', 'The user asked, in this order:', ...wanted];
  if (said) lines.push('Your last answer then was:', boundText(textOf(said), OLD_OUTPUT));
  const timestamp = old.at(-1)?.timestamp ?? '';
  return { role: 'user', content: [{ type: 'text', text: lines.join('\n') }], timestamp };
}
