import type { Message, UserMessage } from '../contract/message.ts';
import type { Compaction } from '../contract/view.ts';
import { sha256 } from '../lib/sha256.ts';
import { truncateText } from '../lib/text/truncate.ts';
import { promptBefore, turnStart } from './boundary.ts';
import { limitTexts } from './fit.ts';
import { squeeze } from './squeeze.ts';

export type Shape = Pick<
  Compaction,
  'keepFrom' | 'squeezeUntil' | 'level' | 'at' | 'textLimit' | 'fullTexts'
>;

export const wholeShape: Shape = { keepFrom: 0, squeezeUntil: 0, level: 0, at: 0 };

/**
 * The messages to send. The user comes first: if the first kept message is a reply, its prompt is put before
 * it. Messages not covered by `shape` are sent unchanged, so that requests grow only at their end.
 */
export function show(messages: readonly Message[], shape: Shape): readonly Message[] {
  const head = headOf(messages, shape);
  return head ? [...head, ...messages.slice(endOfHead(messages, shape))] : messages;
}

/** The part that does not change until the next compaction, for caching; null if there is none. */
export function headOf(messages: readonly Message[], shape: Shape): readonly Message[] | null {
  const { level, at, textLimit, fullTexts = {} } = shape;
  const keepFrom = turnStart(messages, shape.keepFrom);
  const end = endOfHead(messages, shape);
  if (keepFrom === 0 && (end === 0 || (level === 0 && textLimit === undefined))) return null;
  const until = Math.max(keepFrom, Math.min(shape.squeezeUntil, messages.length));
  const squeezed = squeeze(messages, { level, until, at }).slice(keepFrom);
  const first = messages[keepFrom];
  const prompt = first?.role === 'assistant' ? shortPromptBefore(messages, keepFrom) : null;
  const head = [...(prompt ? [prompt] : []), ...squeezed, ...messages.slice(until, end)];
  if (textLimit === undefined) return head;
  return limitTexts(head, textLimit, (text) => fullTexts[textKey(text)]);
}

export function endOfHead(messages: readonly Message[], shape: Shape): number {
  const { keepFrom, squeezeUntil, textLimit, at } = shape;
  const until = textLimit === undefined ? squeezeUntil : Math.max(squeezeUntil, at);
  return Math.max(turnStart(messages, keepFrom), Math.min(until, messages.length));
}

/** Identifies a text among the files with full texts. */
export function textKey(text: string): string {
  return sha256(text).slice(0, 16);
}

/** Long enough for any task description; a pasted log was already seen when it was new. */
const LONG_PROMPT = { max: 20_000, head: 12_000, tail: 6000 };

function shortPromptBefore(messages: readonly Message[], at: number): UserMessage | null {
  const prompt = promptBefore(messages, at);
  if (!prompt) return null;
  const content = prompt.content.map((part) => {
    if (part.type === 'image') return part;
    const text = truncateText(part.text, LONG_PROMPT);
    return text === part.text ? part : { ...part, text };
  });
  return { ...prompt, content };
}
