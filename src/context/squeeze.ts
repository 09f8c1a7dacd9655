import type { AssistantMessage, Message, TextPart, ToolMessage } from '../contract/message.ts';
import { type TextLimits, truncateText } from '../lib/text/truncate.ts';
import { changesFiles } from './known-tools.ts';
import { isFolderNote } from './nested-instructions.ts';
import { repeatedReads } from './repeated-reads.ts';
import { shortenInput } from './shorten-input.ts';

type SqueezeLevel = { output?: TextLimits; edits?: true };

/** What each level does besides removing repeated reads; a level includes all lower ones. */
const LEVELS: readonly SqueezeLevel[] = [
  {},
  {},
  { output: { max: 10_000, head: 5000, tail: 2000 } },
  { output: { max: 1000, head: 500, tail: 200 } },
  { output: { max: 1000, head: 500, tail: 200 }, edits: true },
];

export const MAX_LEVEL = LEVELS.length - 1;

const REPEATED = '[The same lines were read again later; see below.]';

export type Squeezing = {
  /** From 0, nothing, to `MAX_LEVEL`. */
  level: number;
  /** Messages before this index are shortened. */
  until: number;
  /** Reads before this index count as later reads; messages after it have no effect. */
  at: number;
};

/**
 * Shortens the messages before `until`. Keeps every message, and every call with its result. Deterministic
 * for the same messages and level, byte for byte.
 */
export function squeeze(messages: readonly Message[], { level, until, at }: Squeezing): Message[] {
  const old = messages.slice(0, until);
  const means = LEVELS[Math.min(level, MAX_LEVEL)] ?? {};
  if (level === 0) return old;
  const repeated = repeatedReads(messages.slice(0, at));
  return old.map((message) => {
    if (message.role === 'tool')
      return repeated.has(message.callId) ? withoutOutput(message) : boundOutput(message, means.output);
    return message.role === 'assistant' && means.edits ? shortenEdits(message) : message;
  });
}

/** Folder instructions are appended to a result, and stay. */
function withoutOutput(message: ToolMessage): ToolMessage {
  const notes = message.content.filter((part) => part.type === 'text' && isFolderNote(part.text));
  const size = message.content.reduce((sum, part) => sum + sizeOf(part), 0);
  const rest = notes.reduce((sum, part) => sum + sizeOf(part), 0);
  if (size - rest <= REPEATED.length) return message;
  return { ...message, content: [{ type: 'text', text: REPEATED }, ...notes] };
}

function sizeOf(part: ToolMessage['content'][number]): number {
  return part.type === 'text' ? part.text.length : Number.POSITIVE_INFINITY;
}

function boundOutput(message: ToolMessage, limits: TextLimits | undefined): ToolMessage {
  if (!limits) return message;
  const content = message.content.map((part) => boundPart(part, limits));
  return content.every((part, i) => part === message.content[i]) ? message : { ...message, content };
}

function boundPart(part: ToolMessage['content'][number], limits: TextLimits): ToolMessage['content'][number] {
  if (part.type === 'image') return limits.max > 1000 ? part : IMAGE;
  if (isFolderNote(part.text)) return part;
  const text = truncateText(part.text, limits);
  return text.length < part.text.length ? { type: 'text', text } : part;
}

const IMAGE: TextPart = { type: 'text', text: '[Image omitted.]' };

function shortenEdits(message: AssistantMessage): AssistantMessage {
  const content = message.content.map((part) => {
    if (part.type !== 'tool_call' || !changesFiles(part.name)) return part;
    const input = shortenInput(part.input);
    return input === part.input ? part : { ...part, input };
  });
  return content.every((part, i) => part === message.content[i]) ? message : { ...message, content };
}
