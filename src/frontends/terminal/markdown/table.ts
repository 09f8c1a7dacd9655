import { widthOf } from '../text/measure.ts';
import { widthOfLine, wrap } from '../text/wrap.ts';
import type { Line, Span } from '../view/types.ts';
import type { Alignment } from './block-starts.ts';
import { type InlineOptions, inlineSpans } from './inline.ts';

/** The layout of a table once its columns are fixed. */
export type TableLayout = {
  head: readonly string[];
  alignments: readonly Alignment[];
  /** Null: too narrow for columns, so each row is a list of its cells. */
  widths: readonly number[] | null;
  /** Wrapped rows need a line between them. */
  ruled: boolean;
};

type Table = { head: string[]; alignments: Alignment[]; rows: string[][] };

const BETWEEN = ' │ ';
/** Narrower columns are unreadable. */
const LEAST_WIDTH = 5;

export function layOut(
  { head, alignments, rows }: Table,
  width: number,
  options: InlineOptions,
): TableLayout {
  const natural = head.map((cell, column) =>
    Math.max(1, ...[cell, ...rows.map((row) => row[column] ?? '')].map((text) => cellWidth(text, options))),
  );
  const room = width - BETWEEN.length * (head.length - 1);
  const total = natural.reduce((sum, columns) => sum + columns, 0);
  if (total <= room) return { head, alignments, widths: natural, ruled: false };
  const widths = shared(natural, room);
  const readable = widths.every((columns, i) => columns >= Math.min(natural[i] ?? 0, LEAST_WIDTH));
  return { head, alignments, widths: readable ? widths : null, ruled: true };
}

/** Small columns get what they need; the others share the rest evenly. */
function shared(natural: readonly number[], room: number): number[] {
  const widths = natural.map(() => 0);
  let left = room;
  let open = natural.map((_, i) => i).sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  while (open.length > 0) {
    const [column = 0, ...others] = open;
    const share = Math.floor(left / open.length);
    widths[column] = Math.min(natural[column] ?? 0, share);
    left -= widths[column] ?? 0;
    open = others;
  }
  return widths;
}

export function headLines(layout: TableLayout, options: InlineOptions): Line[] {
  const { head, widths } = layout;
  const { styles } = options.theme;
  if (!widths) return [];
  const cells = head.map((cell) => inlineSpans(cell, options, styles.strong));
  return [...gridRow(cells, layout, options), ruleOf(widths, '─┼─', '─', options)];
}

/** `first`: the rows directly follow the header. */
export function rowLines(
  rows: readonly string[][],
  layout: TableLayout,
  { first, ...options }: InlineOptions & { first: boolean },
  width: number,
): Line[] {
  return rows.flatMap((row, i) => {
    const begins = first && i === 0;
    if (!layout.widths) return [...(begins ? [] : [[]]), ...listRow(row, layout, options, width)];
    const rule = layout.ruled && !begins ? [ruleOf(layout.widths, '─┼─', '─', options)] : [];
    return [
      ...rule,
      ...gridRow(
        row.map((cell) => inlineSpans(cell, options)),
        layout,
        options,
      ),
    ];
  });
}

function gridRow(cells: Span[][], { widths, alignments }: TableLayout, options: InlineOptions): Line[] {
  const columns = (widths ?? []).map((width, i) => wrap(cells[i] ?? [], width));
  const height = Math.max(...columns.map((rows) => rows.length));
  const bar: Span = { text: BETWEEN, style: options.theme.styles.border };
  return Array.from({ length: height }, (_, row) => {
    const spans = columns.flatMap((rows, i) => {
      const cell = padded(rows[row] ?? [], widths?.[i] ?? 0, alignments[i] ?? 'left');
      return i === 0 ? cell : [bar, ...cell];
    });
    return withoutEnd(spans);
  });
}

/** "Header: text", one row per cell. */
function listRow(row: string[], { head }: TableLayout, options: InlineOptions, width: number): Line[] {
  const { styles } = options.theme;
  return row.flatMap((cell, i) => {
    const name = inlineSpans(head[i] ?? '', options, styles.strong);
    return wrap([...name, { text: ': ', style: styles.muted }, ...inlineSpans(cell, options)], width);
  });
}

function ruleOf(widths: readonly number[], crossing: string, line: string, { theme }: InlineOptions): Line {
  return [{ text: widths.map((width) => line.repeat(width)).join(crossing), style: theme.styles.border }];
}

function padded(cell: Line, width: number, alignment: Alignment): Line {
  const free = Math.max(0, width - widthOfLine(cell));
  const before = alignment === 'right' ? free : alignment === 'center' ? Math.floor(free / 2) : 0;
  return [{ text: ' '.repeat(before) }, ...cell, { text: ' '.repeat(free - before) }].filter(
    ({ text }) => text !== '',
  );
}

function withoutEnd(spans: Span[]): Line {
  const last = spans.at(-1);
  return last && last.style === undefined && last.text.trim() === '' ? spans.slice(0, -1) : spans;
}

function cellWidth(text: string, options: InlineOptions): number {
  return inlineSpans(text, options).reduce((sum, span) => sum + widthOf(span.text.replaceAll('\n', ' ')), 0);
}
