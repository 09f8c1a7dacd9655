import { cutLine } from '../../lib/text/cut-line.ts';

/** Characters an answer of Read may have: the router hands on up to 10,000 uncut, and notes come on top of these. */
export const MAX_CHARACTERS = 9_500;

/** More lines than could ever fit: a numbered line takes at least three characters. */
export const MAX_LINES = Math.ceil(MAX_CHARACTERS / 3);

export type Page = { lines: string[]; total: number };

/**
 * Some lines of a text, and how many it has. A final line end begins no line; in a text without LF, a CR ends
 * lines. Looks for line ends only: a text of 10 MB is not taken apart to show a page of it.
 */
export function pageOf(text: string, { offset, limit }: { offset: number; limit: number }): Page {
  const lines: string[] = [];
  let total = 0;
  let from = 0;
  const lineEnd = text.includes('\n') || text.indexOf('\r') === text.length - 1 ? '\n' : '\r';
  while (from < text.length) {
    const at = text.indexOf(lineEnd, from);
    const to = at === -1 ? text.length : at;
    if (total >= offset && lines.length < limit) {
      const returns = at > from && lineEnd === '\n' && text.charCodeAt(at - 1) === 0x0d ? 1 : 0;
      lines.push(cutLine(text.slice(from, to - returns)));
    }
    total++;
    from = to + 1;
  }
  return { lines, total };
}

/** As many of the lines, numbered, as an answer may hold. */
export function numberedPage(lines: readonly string[], skipped: number): { text: string; shown: number } {
  return fitting(lines.map((line, i) => `${skipped + i + 1}\t${line}`));
}

/** As many whole lines as an answer may hold; at least one. */
export function fitting(lines: readonly string[]): { text: string; shown: number } {
  let shown = 0;
  let length = 0;
  for (const line of lines) {
    length += line.length + 1;
    if (shown > 0 && length > MAX_CHARACTERS) break;
    shown++;
  }
  return { text: lines.slice(0, shown).join('\n'), shown };
}

/** What is left, and how to get it; nothing when nothing is left. */
export function goOn(left: number, end: number): string[] {
  return left > 0 ? [`[${left} more lines: pass offset ${end} to go on]`] : [];
}
