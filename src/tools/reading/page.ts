import type { LineRange } from '../../contract/tool.ts';
import { fullLimits, type ResultLimits } from '../../lib/results/result-limits.ts';
import { cutRest, LINE_START, type LinePart, startOf } from '../../lib/text/cut-line.ts';

/** Lines of a page, unless the call asks for more. */
const MAX_LINES = 2_000;

/** How much of a file a call gets; `offset` is the number of skipped lines. */
export type PageSize = { offset: number; lines: number; characters: number; part: LinePart };

type PageRequest = Partial<Record<'offset' | 'limit' | 'character', number | undefined>>;

/** For the line number, and the notes below. */
const MARGIN = 500;

/** `offset` of a call is its first line, from 1; 0 is the start, too. With `character` it gets only that line. */
export function pageSize(
  { offset, limit, character }: PageRequest,
  limits: ResultLimits = fullLimits,
): PageSize {
  const skipped = Math.max(0, (offset ?? 1) - 1);
  if (character !== undefined) {
    const part = { skip: Math.floor(Math.max(1, character)) - 1, width: limits.read - MARGIN };
    return { offset: skipped, lines: 1, characters: limits.read, part };
  }
  const characters = limit === undefined ? limits.read : limits.readAsked;
  return { offset: skipped, lines: limit ?? MAX_LINES, characters, part: LINE_START };
}

/** The lines to read for a page. */
export function windowOf({ offset, lines, characters, part }: PageSize): LineRange {
  return { offset, limit: Math.min(lines, characters), part };
}

export type Page = { lines: string[]; total: number };

/**
 * Some lines of a text, and their total number. A final line ending does not start a line; without LF, a CR
 * ends lines. Only searches for line endings: a text of 10 MB is not split to show one page.
 */
export function pageOf(text: string, { offset, limit, part = LINE_START }: LineRange): Page {
  const lines: string[] = [];
  let total = 0;
  let from = 0;
  const lineEnd = text.includes('\n') || text.indexOf('\r') === text.length - 1 ? '\n' : '\r';
  while (from < text.length) {
    const at = text.indexOf(lineEnd, from);
    const to = at === -1 ? text.length : at;
    if (total >= offset && lines.length < limit) {
      const returns = at > from && lineEnd === '\n' && text.charCodeAt(at - 1) === 0x0d ? 1 : 0;
      const line = text.slice(from + Math.min(part.skip, to - returns - from), to - returns);
      lines.push(cutRest(line, to - returns - from, part));
    }
    total++;
    from = to + 1;
  }
  return { lines, total };
}

/** As many numbered lines as fit in an answer. */
export function numberedPage(
  lines: readonly string[],
  { offset, characters }: Pick<PageSize, 'offset' | 'characters'>,
): { text: string; shown: number } {
  return fitting(
    lines.map((line, i) => `${offset + i + 1}\t${line}`),
    characters,
  );
}

/** As many whole lines as fit in so many characters; at least one. */
export function fitting(lines: readonly string[], characters: number): { text: string; shown: number } {
  let shown = 0;
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (shown > 0 && length > characters) break;
    shown++;
  }
  return { text: lines.slice(0, shown).join('\n'), shown };
}

/** How to see the rest of the first of these lines that is cut; empty if none is. */
export function cutNote(lines: readonly string[], { offset, part }: PageSize): string[] {
  const at = lines.findIndex((line) => line.length > part.width);
  const line = lines[at];
  if (line === undefined) return [];
  const number = offset + at + 1;
  const next = `offset ${number} and character ${part.skip + startOf(line, part.width).length + 1}`;
  return part === LINE_START
    ? [`[long lines are cut: Grep shows what matches in them; read on in line ${number} with ${next}]`]
    : [`[line ${number} continues: read on with ${next}]`];
}

/** How many lines are left and how to get them; empty if none. */
export function moreLinesNote(left: number, end: number): string[] {
  return left > 0 ? [`[${left} more ${left === 1 ? 'line' : 'lines'}: continue with offset ${end + 1}]`] : [];
}
