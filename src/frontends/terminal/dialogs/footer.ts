import { fitTo, graphemesOf, widthOf } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import type { Line, Span } from '../view/types.ts';
import { type Frame, span } from './look.ts';
import type { TextLine } from './text-line.ts';

const GAP = '   ';

/** The choices with their numbers, in as many rows as needed: none is ever left out. */
export function choiceRows(choices: readonly string[], selected: number | null, frame: Frame): Line[] {
  const { columns, look } = frame;
  const cells = choices.map((short, i): Span[] =>
    i === selected
      ? [span(` ${i + 1} ${short} `, look.chosen)]
      : [span(String(i + 1), look.accent), span(` ${short}`, look.plain)],
  );
  const take: Span[] = [span('enter', look.accent), span(' answer', look.plain)];
  const stop: Span[] = [span('esc', look.accent), span(' stop', look.plain)];
  return flow([...cells, take, stop], columns);
}

/** Key hints in one row; those that do not fit are dropped from the end. */
export function keyRow(keys: Record<string, string>, frame: Frame): Line {
  const cells = Object.entries(keys).map(([key, does]) => [
    span(key, frame.look.accent),
    span(` ${does}`, frame.look.quiet),
  ]);
  return flow(cells, frame.columns)[0] ?? [];
}

/** A label and a text input; a long line shows the part around the cursor. */
export function inputRow(label: string, { text, at }: TextLine, { columns, look }: Frame): Line {
  const [under = ' '] = graphemesOf(sanitize(text.slice(at)));
  const room = Math.max(0, columns - widthOf(label) - widthOf(under));
  const before = endOf(sanitize(text.slice(0, at)), room);
  const after = fitTo(sanitize(text.slice(at)).slice(under.length), room - widthOf(before));
  const cursor: Span = { text: under, caret: true };
  return [span(label, look.quiet), span(before, look.plain), cursor, span(after, look.plain)].filter(
    (piece) => piece.text !== '',
  );
}

function endOf(text: string, width: number): string {
  let kept = '';
  for (const grapheme of graphemesOf(text).toReversed()) {
    if (widthOf(grapheme + kept) > width) break;
    kept = grapheme + kept;
  }
  return kept;
}

/** Cells separated by gaps, wrapped into rows. */
function flow(cells: readonly (readonly Span[])[], columns: number): Line[] {
  const rows: Span[][] = [];
  let used = 0;
  for (const cell of cells) {
    const wide = cell.reduce((sum, { text }) => sum + widthOf(text), 0);
    const row = rows.at(-1);
    if (row && used + GAP.length + wide <= columns) {
      row.push({ text: GAP }, ...cell);
      used += GAP.length + wide;
    } else {
      rows.push([...cell]);
      used = wide;
    }
  }
  return rows;
}
