import * as z from 'zod';
import { type Message, textOf, typedText } from '../contract/message.ts';
import { parseJson } from '../lib/text/json.ts';
import { truncateText } from '../lib/text/truncate.ts';
import { withoutMemory } from './block.ts';
import type { NoteKind } from './store.ts';

/** What a model may write down; the other kinds rest on evidence. */
const draftKinds = ['user', 'context', 'decisions', 'learnings'] as const satisfies readonly NoteKind[];

/** A note as the model proposes it. */
export type Draft = { kind: NoteKind; text: string };

/** The output limit in tokens. */
export const EXTRACTION_TOKENS = 1_000;

const MOST_DRAFTS = 8;
const SHORTEST = 12;
const LONGEST = 300;
const KNOWN_SHOWN = 40;
const PROMPT_LIMITS = { max: 2_000, head: 1_500, tail: 400 };
const REPLY_LIMITS = { max: 1_200, head: 800, tail: 300 };
const WHOLE_LIMITS = { max: 24_000, head: 8_000, tail: 15_000 };

/** Some proposals are only true today, whatever the model thinks. */
const EPHEMERAL = /\blines? \d+|\b(this|the current) (session|task|conversation|run)\b|\/tmp\/|\bjust now\b/i;

/** A single question and answer teaches little; a conversation, or a longer run, may teach more. */
export function isWorthExtracting(messages: readonly Message[]): boolean {
  const count = (role: Message['role']) => messages.filter((message) => message.role === role).length;
  return count('user') >= 2 || count('assistant') >= 3;
}

/**
 * Asks for durable facts. Only shows what the user typed and the model said: tool results are excluded, so that a
 * page or a file cannot write itself into memory. `poisoned`: the model has read untrusted text, and may repeat it.
 */
export function extractionPrompt(
  messages: readonly Message[],
  known: readonly Draft[],
  { poisoned = false }: { poisoned?: boolean } = {},
): string {
  const shown = known.slice(-KNOWN_SHOWN).map(({ text }) => `- ${text}`);
  return [
    'Below is a conversation between a user and a coding assistant. Write down what will still be true and useful in later sessions.',
    [
      '- user: who the user is and how they like to work, in any project',
      '- context: lasting facts about this project that its files do not say plainly',
      '- decisions: what was decided, and why',
      '- learnings: what was found out and will be needed again',
    ].join('\n'),
    'Omit what belongs to this task only: names of variables, line numbers, what was edited, progress, mistakes already fixed. Omit everything secret. Each note is one sentence of at most 200 characters that makes sense on its own.',
    ...(shown.length > 0 ? [`Already known, do not repeat:\n${shown.join('\n')}`] : []),
    `<conversation>\n${truncateText(transcriptOf(poisoned ? messages.filter(({ role }) => role === 'user') : messages), WHOLE_LIMITS)}\n</conversation>`,
    `Answer with nothing but a JSON list of at most ${MOST_DRAFTS} notes, such as [{"kind":"decisions","text":"Dates are stored in UTC because reports cross time zones."}]. If nothing is worth keeping, and often nothing is, answer [].`,
  ].join('\n\n');
}

function transcriptOf(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => {
      if (message.role === 'tool') return [];
      const text = withoutMemory(message.role === 'user' ? typedText(message) : textOf(message)).trim();
      if (text === '') return [];
      return message.role === 'user'
        ? `User: ${truncateText(text, PROMPT_LIMITS)}`
        : `Assistant: ${truncateText(text, REPLY_LIMITS)}`;
    })
    .join('\n\n');
}

/** The notes in an answer. Skips anything invalid, if necessary the whole answer. */
export function parseDrafts(answer: string): Draft[] {
  const list = z.array(z.unknown()).safeParse(jsonListIn(answer));
  if (!list.success) return [];
  const draft = z.object({ kind: z.enum(draftKinds), text: z.string().trim().min(SHORTEST).max(LONGEST) });
  return list.data
    .flatMap((item) => draft.safeParse(item).data ?? [])
    .filter(({ text }) => !EPHEMERAL.test(text))
    .slice(0, MOST_DRAFTS);
}

/** Models tend to wrap it in text or a fence. */
function jsonListIn(answer: string): unknown {
  const from = answer.indexOf('[');
  const to = answer.lastIndexOf(']');
  return parseJson(answer.slice(Math.max(0, from), to + 1));
}
