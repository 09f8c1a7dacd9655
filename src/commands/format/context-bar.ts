import type { WindowUse } from '../../contract/command.ts';

/** The part that is not used. */
export const FREE = 'free';

/** Its rows, without empty ones, and `free`. `share` is of the window, in percent. */
export function contextRows({ window, total, parts }: WindowUse): ContextRow[] {
  return [
    ...parts.filter(({ tokens }) => tokens > 0),
    { name: FREE, tokens: Math.max(0, window - total) },
  ].map(({ name, tokens }) => ({ name, tokens, share: `${((100 * tokens) / window).toFixed(1)}%` }));
}

export type ContextRow = { name: string; tokens: number; share: string };

/**
 * How many cells of a bar each row takes, `width` in all. Every used part is visible if there is room, so a
 * large one may take less than its share.
 */
export function cellsOf(rows: readonly ContextRow[], width: number): number[] {
  const total = rows.reduce((sum, { tokens }) => sum + tokens, 0);
  const cells = rows.map(({ tokens }) =>
    tokens === 0 || total === 0 ? 0 : Math.max(1, Math.round((width * tokens) / total)),
  );
  for (
    let spare = width - cells.reduce((sum, count) => sum + count, 0);
    spare !== 0;
    spare -= Math.sign(spare)
  ) {
    const largest = cells.indexOf(Math.max(...cells));
    cells[largest] = Math.max(0, (cells[largest] ?? 0) + Math.sign(spare));
  }
  return cells;
}
