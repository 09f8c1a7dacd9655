export const truncationMark = '\n... [truncated] ...\n';

/** Text longer than `max` characters keeps at most its first `head` and its last `tail`. */
export type TextLimits = { max: number; head: number; tail: number };

const defaultLimits: TextLimits = { max: 10_000, head: 5_000, tail: 2_000 };

/** How far a cut may move to reach a line end. */
const LINE_REACH = 200;

/**
 * Cuts the middle out of a long text: never inside a surrogate pair, and between lines where a line end is
 * near.
 */
export function truncateText(text: string, limits: TextLimits = defaultLimits): string {
  if (text.length <= limits.max) return text;
  return (
    text.slice(0, headEnd(text, limits.head)) + truncationMark + text.slice(tailStart(text, limits.tail))
  );
}

function headEnd(text: string, wanted: number): number {
  const newline = text.lastIndexOf('\n', wanted);
  if (newline > 0 && newline >= wanted - LINE_REACH) return newline;
  return splitsPair(text, wanted) ? wanted - 1 : wanted;
}

function tailStart(text: string, wanted: number): number {
  const start = text.length - wanted;
  const newline = text.indexOf('\n', start - 1);
  if (newline !== -1 && newline < start + LINE_REACH && newline < text.length - 1) return newline + 1;
  return splitsPair(text, start) ? start + 1 : start;
}

function splitsPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
