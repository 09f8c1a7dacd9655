/** The part of a text that differs, as offsets in the old text. */
export type ChangedRange = { start: number; end: number; text: string };

/** Replaces no more than needed, so that cursors and folds elsewhere stay. Null if the texts are equal. */
export function changedRange(before: string, after: string): ChangedRange | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  while (start > 0 && isInside(before, start, after)) start--;
  let tail = 0;
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  while (tail > 0 && (isPair(before, before.length - tail) || isPair(after, after.length - tail))) tail--;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

function isInside(before: string, offset: number, after: string): boolean {
  return isPair(before, offset) || isPair(after, offset);
}

/** Whether an offset would divide a line end or a character. */
function isPair(text: string, offset: number): boolean {
  const pair = text.slice(offset - 1, offset + 1);
  return pair === '\r\n' || /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(pair);
}
