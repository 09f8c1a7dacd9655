import type { GrepHit } from './grep-records.ts';

/** How much of a line is shown, and how much of that is before the match. */
export const MAX_COLUMNS = 500;
const LEAD = 100;

/** The end of a line that ripgrep cut. */
export const CUT = / \[\.\.\. (?:omitted|\d+ more).*\]$/;

/**
 * The hits, each with its match visible: ripgrep shows the start of a long line, wherever the match is.
 * `read` returns the text of the file and is called only for such lines.
 */
export async function aroundMatches(
  hits: readonly GrepHit[],
  read: () => string | Promise<string>,
): Promise<readonly GrepHit[]> {
  const isLate = ({ column, text }: GrepHit) => column > MAX_COLUMNS - LEAD && CUT.test(text);
  if (!hits.some(isLate)) return hits;
  const lines = (await read()).split('\n');
  return hits.map((hit) => {
    const line = lines[hit.line - 1]?.replace(/\r$/, '');
    // If a file is too large to read, or was truncated meanwhile, keep the start of the line.
    return line && isLate(hit) ? { ...hit, text: windowOf(line, hit.column) } : hit;
  });
}

function windowOf(line: string, column: number): string {
  const match = Buffer.from(line)
    .subarray(0, column - 1)
    .toString('utf8').length;
  const from = wholeCharacter(line, Math.max(0, match - LEAD));
  const to = wholeCharacter(line, Math.min(line.length, from + MAX_COLUMNS));
  return `${from > 0 ? '…' : ''}${line.slice(from, to)}${to < line.length ? '…' : ''}`;
}

/** Does not split a surrogate pair. */
function wholeCharacter(line: string, at: number): number {
  const code = line.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
