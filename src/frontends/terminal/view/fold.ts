import type { Display } from '../../../contract/display.ts';
import type { Item } from './types.ts';

/** How much of a result is shown before the rest is folded. */
export const FOLD_LINES = { change: 40, output: 6 };

/** Whether an item is not shown completely at first. */
export function isFolded(item: Item): boolean {
  if (item.type === 'thought') return item.folded;
  if (item.type !== 'call' || !item.folded || !item.display) return false;
  const { display } = item;
  return linesOf(display) > (isChange(display) ? FOLD_LINES.change : FOLD_LINES.output);
}

function isChange(display: Display): boolean {
  return display.kind === 'diff' || display.kind === 'diffs';
}

function linesOf(display: Display): number {
  switch (display.kind) {
    case 'text':
      return countLines(display.text);
    case 'command':
      return countLines(display.output);
    case 'files':
      return display.paths.length;
    case 'diff':
      return countLines(display.patch);
    case 'diffs':
      return display.diffs.reduce((sum, { patch }) => sum + countLines(patch), 0);
    case 'todos':
      return 0;
    default:
      return display satisfies never;
  }
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length;
}
