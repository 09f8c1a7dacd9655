import { fitTo, graphemesOf, widthOf } from '../text/measure.ts';
import { sanitize } from '../text/sanitize.ts';
import type { Line, Span } from '../view/types.ts';
import { type Frame, span } from './look.ts';
import type { TextLine } from './text-line.ts';

const NARROW = 60;
const GAP = '   ';

type Choice = { key: string; words: string; short: string };

/** The ways to answer with their keys, in as many rows as it takes: none is ever left out. */
export function choiceRows(choices: readonly Choice[], selected: number | null, frame: Frame): Line[] {
  const { columns, look } = frame;
  const narrow = columns < NARROW;
  const cells = choices.map(({ key, words, short }, i): Span[] =>
    i === selected
      ? [span(` ${key} ${narrow ? short : words} `, look.chosen)]
      : [span(key, look.accent), span(` ${narrow ? short : words}`, look.plain)],
  );
  const stop: Span[] = [span('Esc', look.accent), span(narrow ? ' stop' : ' stop the run', look.plain)];
  return flow([...cells, stop], columns);
}

/** What some keys do, in one row; what does not fit is left out from the end. */
export function keyRow(keys: readonly (readonly [key: string, does: string])[], frame: Frame): Line {
  const cells = keys.map(([key, does]) => [span(key, frame.look.accent), span(` ${does}`, frame.look.quiet)]);
  return flow(cells, frame.columns)[0] ?? [];
}

/** A label and what is being typed after it; of a long line the part around the cursor is seen. */
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

/** Cells one after another with a gap between them, in rows that fit. */
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
