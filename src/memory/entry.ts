import { startOf } from '../lib/text/cut-line.ts';

/** One note. `date`, `session` and `used` are unknown for entries that the user wrote into the file. */
export type Entry = {
  text: string;
  /** When it was noted; null if the user wrote it. */
  date: string | null;
  /** The first characters of its session's id. */
  session: string | null;
  /** When it was last given to a model, and how often so far. */
  used: string | null;
  uses: number;
  /** Included in every session, and kept whatever its age. */
  pinned: boolean;
};

/** Anything longer is a document, not a note. */
const LONGEST_TEXT = 400;

/** A note ready for a file: one line, nothing that would end its comment. */
export function newEntry(text: string, from: { date: string; session: string | null }): Entry {
  return { text: cleanText(text), ...from, used: null, uses: 0, pinned: false };
}

export function cleanText(text: string): string {
  const line = text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll('<!--', '< !--')
    .replaceAll('-->', '-- >')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > LONGEST_TEXT ? `${startOf(line, LONGEST_TEXT - 1).trimEnd()}…` : line;
}

/** The entry as a list item: plain text, with metadata in a comment. */
export function renderEntry({ text, date, session, used, uses, pinned }: Entry): string {
  const facts = [
    date,
    session === null ? null : `session ${session}`,
    used === null ? null : `used ${used}${uses > 1 ? ` ${uses} times` : ''}`,
    pinned ? 'pinned' : null,
  ].filter((fact) => fact !== null);
  return facts.length > 0 ? `- ${text} <!-- ${facts.join(', ')} -->` : `- ${text}`;
}

/** Null if the lines are not a list item, or an empty one. */
export function parseEntry(raw: string): Entry | null {
  const item = ITEM.exec(raw)?.groups?.words;
  if (item === undefined) return null;
  const line = item.replaceAll(/\s+/g, ' ').trim();
  const { text, facts } = factsAtEnd(line) ?? { text: line, facts: [] };
  if (text === '') return null;
  const entry: Entry = { text, date: null, session: null, used: null, uses: 0, pinned: false };
  for (const fact of facts) {
    const [word = '', value = '', times = '1'] = fact.split(' ');
    if (word === 'pinned') entry.pinned = true;
    else if (word === 'session') entry.session = value;
    else if (word === 'used') Object.assign(entry, { used: value, uses: Number(times) });
    else entry.date = word;
  }
  return entry;
}

/** Any other comment is part of the text. */
function factsAtEnd(line: string): { text: string; facts: string[] } | null {
  const from = line.endsWith('-->') ? line.lastIndexOf('<!--') : -1;
  if (from === -1) return null;
  const facts = line
    .slice(from + '<!--'.length, -'-->'.length)
    .split(',')
    .map((fact) => fact.trim());
  return facts.every((fact) => FACT.test(fact)) ? { text: line.slice(0, from).trimEnd(), facts } : null;
}

/** A list item as people write them, including continuation lines. */
const ITEM = /^ ?(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?<words>[\s\S]+)$/;
const FACT = /^(\d{4}-\d\d-\d\d|session \S+|used \d{4}-\d\d-\d\d( \d{1,9} times)?|pinned)$/;
