import type { Display } from '../../../contract/display.ts';
import type { Item } from './types.ts';

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
  return `… +${hidden} ${hidden === 1 ? 'line' : 'lines'} (ctrl+o)`;
}

/** Whether an item is not shown completely at first. */
export function isFolded(item: Item): boolean {
  if (item.type === 'thought' || item.type === 'explored') return item.folded;
  if (item.type !== 'call' || !item.folded) return false;
  const failed = item.outcome === 'failed';
  if (item.display) return isLong(item.display, { failed });
  return item.because !== undefined && failed && foldOf(countLines(item.because), { failed }) !== null;
}

function isLong(display: Display, outcome: { failed: boolean }): boolean {
  switch (display.kind) {
    case 'text':
      return foldOf(countLines(display.text), outcome) !== null;
    case 'command':
      return foldOf(countLines(display.output), outcome) !== null;
    case 'files':
      return foldOf(display.paths.length, outcome) !== null;
    case 'diff':
      return countLines(display.patch) > CHANGE_ROWS;
    case 'diffs':
      return display.diffs.reduce((sum, { patch }) => sum + countLines(patch), 0) > CHANGE_ROWS;
    case 'todos':
      return false;
    default:
      return display satisfies never;
  }
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length;
}
