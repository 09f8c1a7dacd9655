import { type Entry, parseEntry, renderEntry } from './entry.ts';

/** A part of a file: an entry, or anything else that the user wrote. `raw` is its exact text. */
type Block = { raw: string; entry: Entry | null };

/** A file of notes. Unchanged, it is printed byte for byte: only changed entries are rewritten. */
export type NoteFile = readonly Block[];

const ITEM_START = /^ ?(?:[-*+]|\d{1,9}[.)])[ \t]+\S/;
/** Continues the item above: indented, or a line of its text. */
const CONTINUATION = /^(?: {2,}|\t+)\S/;

export function parseNotes(text: string): NoteFile {
  const blocks: { lines: string[]; isItem: boolean }[] = [];
  for (const line of text.split('\n')) {
    const last = blocks.at(-1);
    if (ITEM_START.test(line)) blocks.push({ lines: [line], isItem: true });
    else if (last && (last.isItem ? CONTINUATION.test(line) : true)) last.lines.push(line);
    else blocks.push({ lines: [line], isItem: false });
  }
  return blocks.map(({ lines, isItem }) => {
    const raw = lines.join('\n');
    return { raw, entry: isItem ? parseEntry(raw) : null };
  });
}

export function printNotes(file: NoteFile): string {
  return file.map(({ raw }) => raw).join('\n');
}

export function entriesOf(file: NoteFile): Entry[] {
  return file.flatMap(({ entry }) => (entry ? [entry] : []));
}

/** The file with each entry mapped by `change`; null removes it. Everything else stays as written. */
export function changeNotes(file: NoteFile, change: (entry: Entry) => Entry | null): NoteFile {
  return file.flatMap((block) => {
    if (!block.entry) return block;
    const entry = change(block.entry);
    if (entry === block.entry) return block;
    return entry ? { raw: renderEntry(entry), entry } : [];
  });
}

/** New entries go last; `title` heads a file that was empty. */
export function addNotes(file: NoteFile, entries: readonly Entry[], title: string): NoteFile {
  if (entries.length === 0) return file;
  const before = printNotes(file).trimEnd();
  return parseNotes(joinItem(before === '' ? `# ${title}` : before, entries.map(renderEntry).join('\n')));
}

/** A Markdown text with one more list item at its end: in the list that it ends with, or a new one. */
export function joinItem(text: string, item: string): string {
  const before = text.trimEnd();
  const lastIsItem = /(^|\n) ?(?:[-*+]|\d{1,9}[.)])[ \t]+\S[^\n]*(\n(?: {2,}|\t+)\S[^\n]*)*$/.test(before);
  return `${before}${before === '' ? '' : lastIsItem ? '\n' : '\n\n'}${item}\n`;
}
