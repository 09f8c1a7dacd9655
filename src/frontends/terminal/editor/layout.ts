import { visibleLine, visibleText } from '../../../lib/text/visible-text.ts';
import { widthOf } from '../text/measure.ts';
import { type Folds, labelOf } from './folds.ts';
import { graphemesOf, isFoldSign } from './graphemes.ts';
import type { Draft } from './text-buffer.ts';

/** One drawn character. `at` is its offset in the text. */
export type Cell = { text: string; width: number; at: number; kind: 'text' | 'fold' };

/** One screen row as a range of offsets; a newline after it belongs to no row. */
export type Row = { from: number; to: number; cells: readonly Cell[] };

const TAB = 4;

/** The text in rows of at most `width` columns, wrapped at spaces if there are any. */
export function rowsOf(text: string, folds: Folds, width: number): Row[] {
  const rows: Row[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    rows.push(...rowsOfLine({ line, start, folds, width: Math.max(1, width) }));
    start += line.length + 1;
  }
  return rows;
}

/** The row and column of an offset. */
export function placeOf(rows: readonly Row[], at: number): { row: number; column: number } {
  const row = Math.max(
    0,
    rows.findLastIndex(({ from }) => from <= at),
  );
  const column = (rows[row]?.cells ?? []).reduce((sum, cell) => (cell.at < at ? sum + cell.width : sum), 0);
  return { row, column };
}

/** The offset in a row that is nearest to a column, not past it. */
function offsetAt(rows: readonly Row[], row: number, column: number): number {
  const { from, to, cells } = rows[row] ?? { from: 0, to: 0, cells: [] };
  let used = 0;
  for (const cell of cells) {
    if (used + cell.width > column) return cell.at;
    used += cell.width;
  }
  // The end of a wrapped row is the start of the next.
  const goesOn = rows[row + 1]?.from === to && to > from;
  return goesOn ? (cells.at(-1)?.at ?? from) : to;
}

/** The rows to show when at most `most` fit: those around the caret, scrolling as little as possible. */
export function windowOf(count: number, caret: number, { most, top }: { most: number; top: number }): number {
  const last = Math.max(0, count - most);
  return Math.max(0, Math.min(last, caret, Math.max(top, caret - most + 1)));
}

/** Up or down by rows; null at the first or the last. */
export function verticalMove(
  { text, at }: Draft,
  by: -1 | 1,
  { folds, width, goal }: { folds: Folds; width: number; goal: number | null },
): { at: number; goal: number } | null {
  const rows = rowsOf(text, folds, width);
  const { row, column } = placeOf(rows, at);
  if (!rows[row + by]) return null;
  const wanted = goal ?? column;
  return { at: offsetAt(rows, row + by, wanted), goal: wanted };
}

type Laying = { line: string; start: number; folds: Folds; width: number };

function rowsOfLine({ line, start, folds, width }: Laying): Row[] {
  const rows: Row[] = [];
  let cells: Cell[] = [];
  let used = 0;
  let at = start;
  for (const grapheme of graphemesOf(line)) {
    let cell = cellOf(grapheme, { at, column: used, folds, width });
    if (used + cell.width > width && cells.length > 0) {
      const kept = breakBefore(cells, grapheme);
      const carried = cells.slice(kept);
      rows.push(rowOf(cells.slice(0, kept)));
      cells = carried;
      used = widthOfCells(carried);
      cell = cellOf(grapheme, { at, column: used, folds, width });
      if (used + cell.width > width && cells.length > 0) {
        rows.push(rowOf(cells));
        cells = [];
        used = 0;
      }
    }
    cells.push(cell);
    used += cell.width;
    at += grapheme.length;
  }
  const from = cells[0]?.at ?? at;
  return [...rows, { from, to: at, cells }];

  function rowOf(full: readonly Cell[]): Row {
    const end = cells[full.length]?.at ?? at;
    return { from: full[0]?.at ?? at, to: end, cells: full };
  }
}

/**
 * How many cells stay on the row when the next one does not fit: up to the last space, all if there is none.
 */
function breakBefore(cells: readonly Cell[], next: string): number {
  if (next === ' ') return cells.length;
  const blank = cells.findLastIndex(({ text, kind }) => kind === 'fold' || /^\s+$/.test(text));
  return blank < 0 ? cells.length : blank + 1;
}

function widthOfCells(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}

type Placing = { at: number; column: number; folds: Folds; width: number };

function cellOf(grapheme: string, { at, column, folds, width }: Placing): Cell {
  if (grapheme >= ' ' && grapheme <= '~') return { text: grapheme, width: 1, at, kind: 'text' };
  const fold = isFoldSign(grapheme) ? folds.get(grapheme) : undefined;
  if (fold) return fitted(visibleLine(labelOf(fold)), { at, width, kind: 'fold' });
  if (grapheme === '\t') {
    const blank = Math.min(width, TAB - (column % TAB));
    return { text: ' '.repeat(blank), width: blank, at, kind: 'text' };
  }
  const { text, wide } = drawn(grapheme);
  return wide <= width ? { text, width: wide, at, kind: 'text' } : fitted(text, { at, width, kind: 'text' });
}

/** Measuring a character takes far longer than looking it up, and a text has few different ones. */
const known = new Map<string, { text: string; wide: number }>();
const MOST_KNOWN = 10_000;

function drawn(grapheme: string): { text: string; wide: number } {
  const kept = known.get(grapheme);
  if (kept) return kept;
  const text = visibleText(grapheme);
  const made = { text, wide: widthOf(text) };
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(grapheme, made);
  return made;
}

/** Anything wider than a row is cut: the caret must fit after it. */
function fitted(text: string, { at, width, kind }: Pick<Cell, 'at' | 'width' | 'kind'>): Cell {
  const wide = widthOf(text);
  if (wide <= width) return { text, width: wide, at, kind };
  let kept = '';
  for (const one of graphemesOf(text)) {
    if (widthOf(kept + one) > width - 1) break;
    kept += one;
  }
  return { text: `${kept}…`, width: widthOf(kept) + 1, at, kind };
}
