import { shownText } from '../../commands/prompts.ts';
import { type AssistantMessage, type Message, textOf, toolCallsOf } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { ago } from '../../lib/text/ago.ts';
import { visible } from '../../lib/text/printable.ts';

const MOST_LINES = 40;
const CALL_LENGTH = 80;

/** Where a conversation left off: how long ago, the last prompt, and its outcome. */
export function lastExchange(session: Session, now = Date.now()): string {
  const { messages } = session;
  if (messages.length === 0) return '';
  const begin = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'user'),
  );
  const lines = messages.slice(begin).flatMap(linesOf);
  const shown = lines.length > MOST_LINES ? ['…', ...lines.slice(-MOST_LINES)] : lines;
  return visible([sessionHead(session, now), ...shown].join('\n'));
}

/** Which session it is, and how long ago it was left. */
export function sessionHead({ id, title, parent, messages }: Session, now = Date.now()): string {
  const name = title === undefined ? '' : ` "${title}"`;
  const copy = parent ? `, forked from ${parent.id.slice(0, 8)}` : '';
  const when = messages.at(-1)?.timestamp;
  return visible(
    `Session ${id.slice(0, 8)}${name}${copy}${when === undefined ? '' : `, ${ago(when, now)}`}:`,
  );
}

function linesOf(message: Message): string[] {
  switch (message.role) {
    case 'user':
      return [`> ${shownText(message).trim()}`];
    case 'assistant':
      return [...textLines(message), ...toolCallsOf(message).map(callLine), ...endLines(message)];
    case 'tool':
      return message.success ? [] : [`  ✗ ${oneLine(textOf(message))}`];
    default:
      return message satisfies never;
  }
}

function textLines(message: AssistantMessage): string[] {
  const text = textOf(message).trim();
  return text === '' ? [] : text.split('\n');
}

function endLines({ stopReason }: AssistantMessage): string[] {
  return stopReason === 'cut' || stopReason === 'aborted' ? ['(The answer was cut off here.)'] : [];
}

/** A call as its name and the start of its input: enough to recognize it. */
function callLine({ name, input }: { name: string; input: unknown }): string {
  const words = Object.values(input ?? {}).find((value) => typeof value === 'string') ?? '';
  return `→ ${name} ${oneLine(words)}`.trimEnd();
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' ⏎ ');
  return line.length > CALL_LENGTH ? `${line.slice(0, CALL_LENGTH - 1)}…` : line;
}
