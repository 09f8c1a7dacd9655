import type { Note } from './store.ts';

export const MOST_NOTES = 8;
const MOST_TOKENS = 800;

const HEAD =
  '<memory>\nNotes from earlier sessions that may matter here. They may be out of date: check before you rely on them.';
const END = '</memory>';
const CHARACTERS_PER_TOKEN = 3.5;
const BLOCK = /\n*<memory>\n[\s\S]*?\n<\/memory>/g;

/** The notes for the first prompt, within the limit, however many exist. Null if none is relevant. */
export function memoryBlock(notes: readonly Note[]): { text: string; included: Note[] } | null {
  const included: Note[] = [];
  const lines: string[] = [];
  let room = MOST_TOKENS - tokensIn(`\n\n${HEAD}\n${END}`);
  for (const note of notes) {
    if (included.length === MOST_NOTES) break;
    const line = lineOf(note);
    const tokens = tokensIn(`${line}\n`);
    if (tokens > room) continue;
    room -= tokens;
    included.push(note);
    lines.push(line);
  }
  if (included.length === 0) return null;
  return { text: `\n\n${[HEAD, ...lines, END].join('\n')}`, included };
}

/** The notes in a prompt. */
export function memoryIn(text: string): string {
  return (text.match(BLOCK) ?? []).join('');
}

/** A prompt as the user wrote it. */
export function withoutMemory(text: string): string {
  return text.replaceAll(BLOCK, '');
}

function lineOf({ kind, text, date }: Note): string {
  const facts = [kind === 'user' ? 'user' : 'project', date].filter((fact) => fact !== null);
  return `- ${text.replaceAll(/<(\/?memory)>/gi, '‹$1›')} (${facts.join(', ')})`;
}

/** High rather than low: non-Latin scripts take up to one token per character. */
export function tokensIn(text: string): number {
  const foreign = text.match(/[^\p{ASCII}\p{Script=Latin}]/gu)?.join('').length ?? 0;
  return (text.length - foreign) / CHARACTERS_PER_TOKEN + foreign;
}
