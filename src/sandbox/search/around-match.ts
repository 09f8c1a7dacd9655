import type { GrepHit } from './grep-records.ts';

/** How much of a line is shown, and how much of that is before the match. */
export const MAX_COLUMNS = 500;
const LEAD = 100;

/** The end of a line that ripgrep cut. */
export const CUT = / \[\.\.\. (?:omitted|\d+ more).*\]$/;

/** What was searched: empty if the whole is too large to read, and then some bytes of it. */
export type SearchedText = {
  whole(): Promise<string>;
  part?(at: number, length: number): Promise<Uint8Array>;
};

/**
 * The hits, each with its match visible: ripgrep shows the start of a long line, wherever the match is.
 * `text` is read only for such lines.
 */
export async function aroundMatches(
  hits: readonly GrepHit[],
  text: SearchedText,
): Promise<readonly GrepHit[]> {
  const isLate = ({ column, text: start }: GrepHit) => column > MAX_COLUMNS - LEAD && CUT.test(start);
  if (!hits.some(isLate)) return hits;
  const whole = await text.whole();
  const lines = whole.split('\n');
  const shown: GrepHit[] = [];
  for (const hit of hits) {
    const line = lines[hit.line - 1]?.replace(/\r$/, '');
    // If the file was truncated meanwhile, keep the start of the line.
    const window = !isLate(hit) ? null : line ? windowOf(line, hit.column) : await windowIn(text, hit);
    shown.push(window === null ? hit : { ...hit, text: window });
  }
  return shown;
}

function windowOf(line: string, column: number): string {
  const before = Buffer.from(line).subarray(0, column - 1);
  return windowAt(line, before.toString('utf8').length, { isStart: true, isEnd: true });
}

/** A character has at most so many bytes. */
const MOST_BYTES = 4;

/** The same of a line of which only a part is read. */
async function windowIn({ part }: SearchedText, { offset, column }: GrepHit): Promise<string | null> {
  if (!part) return null;
  const start = Math.max(0, column - 1 - MOST_BYTES * LEAD);
  const bytes = Buffer.from(await part(offset + start, MOST_BYTES * (LEAD + MAX_COLUMNS)));
  const end = bytes.indexOf(0x0a);
  const line = bytes.subarray(firstCharacter(bytes), end === -1 ? bytes.length : end);
  // Not the text that ripgrep has read: it converts UTF-16, so that its positions are others.
  if (line.includes(0)) return null;
  const lead = line.subarray(0, Math.max(0, column - 1 - start - firstCharacter(bytes))).toString('utf8');
  const text = line.toString('utf8').replace(/\r$/, '');
  return windowAt(text, lead.length, { isStart: start === 0, isEnd: end !== -1 });
}

/** Whether the text has the start and the end of its line. */
type Extent = { isStart: boolean; isEnd: boolean };

function windowAt(line: string, match: number, { isStart, isEnd }: Extent): string {
  const from = wholeCharacter(line, Math.max(0, match - LEAD));
  const to = wholeCharacter(line, Math.min(line.length, from + MAX_COLUMNS));
  const isWhole = isEnd && to === line.length;
  return `${from > 0 || !isStart ? '…' : ''}${line.slice(from, to)}${isWhole ? '' : '…'}`;
}

/** The bytes before it are the rest of a character. */
function firstCharacter(bytes: Uint8Array): number {
  let at = 0;
  while (at < MOST_BYTES - 1 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

/** Does not split a surrogate pair. */
function wholeCharacter(line: string, at: number): number {
  const code = line.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
