import { cutLine } from '../../lib/text/cut-line.ts';

/**
 * Maximum characters in an answer of Read: the router passes up to 10,000 uncut, and notes are added to
 * these.
 */
export const MAX_CHARACTERS = 9_500;

/** More lines than could ever fit: a numbered line has at least three characters. */
export const MAX_LINES = Math.ceil(MAX_CHARACTERS / 3);

export type Page = { lines: string[]; total: number };

/**
 * Some lines of a text, and their total number. A final line ending does not start a line; without LF, a CR
 * ends lines. Only searches for line endings: a text of 10 MB is not split to show one page.
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

/** As many numbered lines as fit in an answer. */
export function numberedPage(lines: readonly string[], skipped: number): { text: string; shown: number } {
  return fitting(lines.map((line, i) => `${skipped + i + 1}\t${line}`));
}

/** As many whole lines as fit in an answer; at least one. */
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

/** How many lines are left and how to get them; empty if none. */
export function moreLinesNote(left: number, end: number): string[] {
  return left > 0 ? [`[${left} more ${left === 1 ? 'line' : 'lines'}: pass offset ${end} to continue]`] : [];
}
