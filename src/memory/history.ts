import { type Message, textOf } from '../contract/message.ts';
import { startOf } from '../lib/text/cut-line.ts';
import { withoutMemory } from './block.ts';
import { wordsOf } from './words.ts';

/** An excerpt of a session. */
export type Passage = { session: string; date: string; role: 'user' | 'assistant'; text: string };

const LONGEST_PASSAGE = 700;
const LONGEST_LINE = 240;

/** What the user and the model said, in pieces of a few lines; excludes tool results. */
export function passagesOf(messages: readonly Message[], session: string): Passage[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [];
    const { role, timestamp } = message;
    const date = timestamp.slice(0, 10);
    return piecesOf(withoutMemory(textOf(message))).map((text) => ({ session, date, role, text }));
  });
}

/** Splits between paragraphs if possible. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (const paragraph of text.split(/\n\s*\n/)) {
    for (let rest = paragraph.trim(); rest !== ''; ) {
      const start = startOf(rest, LONGEST_PASSAGE);
      rest = rest.slice(start.length).trim();
      const last = pieces.at(-1);
      if (last !== undefined && last.length + start.length < LONGEST_PASSAGE)
        pieces[pieces.length - 1] = `${last}\n${start}`;
      else pieces.push(start);
    }
  }
  return pieces;
}

/** The best matching line of a passage. */
export function lineFor(query: string, { text }: Pick<Passage, 'text'>): string {
  const wanted = new Set(wordsOf(query));
  const score = (line: string) => wordsOf(line).filter((word) => wanted.has(word)).length;
  const lines = text.split('\n').map((line) => line.trim());
  const [best = ''] = lines.filter(Boolean).sort((a, b) => score(b) - score(a));
  return best.length > LONGEST_LINE ? `${startOf(best, LONGEST_LINE - 1)}…` : best;
}
