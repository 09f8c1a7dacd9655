import { startOf } from '../lib/text/cut-line.ts';

/** One thing worth knowing. `date`, `session` and `used` are unknown of what a person wrote into the file. */
export type Entry = {
  text: string;
  /** When it was noted; null for what a person wrote. */
  date: string | null;
  /** The first characters of the session it came from. */
  session: string | null;
  /** When it was last told to a model, and how often so far. */
  used: string | null;
  uses: number;
  /** Told in every session, and kept whatever its age. */
  pinned: boolean;
};

/** Longer is no note but a document. */
const LONGEST_TEXT = 400;

/** A note as it may stand in a file: one line, nothing that would end its comment. */
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

/** The entry as a list item: plain words, and what a program keeps of it in a comment. */
export function renderEntry({ text, date, session, used, uses, pinned }: Entry): string {
  const facts = [
    date,
    session === null ? null : `session ${session}`,
    used === null ? null : `used ${used}${uses > 1 ? ` ${uses} times` : ''}`,
    pinned ? 'pinned' : null,
  ].filter((fact) => fact !== null);
  return facts.length > 0 ? `- ${text} <!-- ${facts.join(', ')} -->` : `- ${text}`;
}

/** Null when the lines are no list item, or one without words. */
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

/** A comment of another kind is a part of the words. */
function factsAtEnd(line: string): { text: string; facts: string[] } | null {
  const from = line.endsWith('-->') ? line.lastIndexOf('<!--') : -1;
  if (from === -1) return null;
  const facts = line
    .slice(from + '<!--'.length, -'-->'.length)
    .split(',')
    .map((fact) => fact.trim());
  return facts.every((fact) => FACT.test(fact)) ? { text: line.slice(0, from).trimEnd(), facts } : null;
}

/** A list item as people write them, lines that go on with it included. */
const ITEM = /^ ?(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?<words>[\s\S]+)$/;
const FACT = /^(\d{4}-\d\d-\d\d|session \S+|used \d{4}-\d\d-\d\d( \d{1,9} times)?|pinned)$/;
