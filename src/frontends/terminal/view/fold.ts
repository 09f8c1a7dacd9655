import { counted } from '../../../lib/text/counted.ts';
/** Rows of a change that are shown before the rest is folded. */
export const CHANGE_ROWS = 40;
const HEAD = 2;
const TAIL = { usual: 3, failed: 8 };

/** How many lines stay at both ends of an output; null if all are shown. */
export function foldOf(
  count: number,
  { failed }: { failed: boolean },
): { head: number; tail: number } | null {
  const tail = failed ? TAIL.failed : TAIL.usual;
  // A single hidden line takes no less space than the row that counts it.
  return count > HEAD + tail + 1 ? { head: HEAD, tail } : null;
}

/** `… +35 lines (ctrl+o)` */
export function foldedText(hidden: number): string {
  return `… +${counted(hidden, 'line')} (ctrl+o)`;
}
