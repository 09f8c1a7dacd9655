/**
 * How a line of Markdown may start a block. Every function takes the rest of a line after its container
 * prefixes.
 */

export type Marker = {
  /** Columns from the line start to the item's text. */
  indent: number;
  rest: string;
  ordered: { number: number; sign: string } | null;
  bullet: string;
  task: 'open' | 'done' | null;
};

export type Fence = { mark: string; length: number; indent: number; language: string };

export type Alignment = 'left' | 'right' | 'center';

const BLOCK_TAGS =
  /^<\/?(address|article|aside|blockquote|body|br|center|dd|details|dialog|div|dl|dt|fieldset|figure|footer|form|h[1-6]|head|header|hr|html|iframe|img|legend|li|link|main|menu|meta|nav|ol|p|picture|pre|script|section|style|summary|svg|table|tbody|td|tfoot|th|thead|title|tr|ul|video)(\s|\/?>|$)|^<(!--|\?|!DOCTYPE)/i;
const ANY_TAG = /^<\/?[a-z][a-z0-9-]*(\s[^<>]*)?\/?>\s*$/i;

export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

export function headingIn(text: string): { level: number; text: string } | null {
  const found = /^ {0,3}(#{1,6})(?: +(.*))?$/.exec(text);
  if (!found) return null;
  const words = (found[2] ?? '').trim().replace(/(^| )#+$/, '');
  return { level: found[1]?.length ?? 1, text: words.trim() };
}

export function fenceIn(text: string): Fence | null {
  const found = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(text);
  if (!found) return null;
  const marks = found[2] ?? '';
  const info = (found[3] ?? '').trim();
  return {
    mark: marks[0] ?? '`',
    length: marks.length,
    indent: found[1]?.length ?? 0,
    language: /^[^\s{,:]*/.exec(info)?.[0]?.toLowerCase() ?? '',
  };
}

export function closesFence(text: string, fence: Fence): boolean {
  const marks = text.trim();
  return (
    indentOf(text) < 4 &&
    marks.length >= fence.length &&
    marks.replaceAll(fence.mark, '') === '' &&
    marks !== ''
  );
}

export function isRule(text: string): boolean {
  return /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/.test(text);
}

/** The heading level of a setext underline. */
export function underline(text: string): 1 | 2 | null {
  const sign = /^ {0,3}(=+|-+) *$/.exec(text)?.[1]?.[0];
  return sign === '=' ? 1 : sign === '-' ? 2 : null;
}

export function markerIn(text: string): Marker | null {
  const found = /^( {0,3})(?:([-*+])|(\d{1,9})([.)]))(?:( +)(.*))?$/.exec(text);
  if (!found) return null;
  const [, before = '', bullet = '', digits, sign = '', blanks = '', words = ''] = found;
  const marker = before.length + (digits === undefined ? 1 : digits.length + 1);
  const empty = words.trim() === '';
  // Five or more spaces count as one; the others belong to an indented code block.
  const gap = empty || blanks.length > 4 ? 1 : blanks.length;
  const task = /^\[([ xX])\](?= )/.exec(words);
  const rest = empty ? '' : ' '.repeat(Math.max(0, blanks.length - gap)) + words;
  return {
    indent: marker + gap,
    rest: task ? words.slice(3).trimStart() : rest,
    ordered: digits === undefined ? null : { number: Number(digits), sign },
    bullet,
    task: task ? (task[1] === ' ' ? 'open' : 'done') : null,
  };
}

/** A lone tag starts a block, too, but never inside a paragraph. */
export function beginsHtml(text: string, { inParagraph }: { inParagraph: boolean }): boolean {
  const tag = text.trimStart();
  return indentOf(text) < 4 && (BLOCK_TAGS.test(tag) || (!inParagraph && ANY_TAG.test(tag)));
}

/** The delimiter row of a table; null for any other line. */
export function alignmentsIn(text: string): Alignment[] | null {
  if (!/^ {0,3}[|:-]/.test(text) || !/^[ |:-]+$/.test(text) || !text.includes('-')) return null;
  const cells = cellsOf(text);
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return null;
  if (cells.length === 1 && !text.includes('|')) return null;
  return cells.map((cell) => (!cell.endsWith(':') ? 'left' : cell.startsWith(':') ? 'center' : 'right'));
}

export function cellsOf(text: string): string[] {
  const inner = text
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}
