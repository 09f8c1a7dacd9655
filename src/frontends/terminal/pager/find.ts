import type { Line, Span, Style } from '../view/types.ts';
import type { PagerDocument } from './document.ts';

/** A row of a document. */
export type Place = { block: number; row: number };

/** Like in most pagers, upper case in the query makes it matter. */
function folder(query: string): (text: string) => string {
  return query === query.toLowerCase() ? (text) => text.toLowerCase() : (text) => text;
}

const textOfLine = (line: Line): string => line.map(({ text }) => text).join('');

/**
 * The next row that contains the query, from after `from` on and around the end of the document. Blocks whose
 * text does not contain it are not rendered.
 */
export function findRow(
  document: PagerDocument,
  query: string,
  { from, step }: { from: Place; step: 1 | -1 },
): Place | null {
  const fold = folder(query);
  const contains = (text: string) => fold(text).includes(query);
  const wanted = withoutMarks(query);
  const mayContain = (block: number) => {
    const text = document.text(block);
    return text === null || fold(withoutMarks(text)).includes(wanted);
  };
  for (let i = 0; i <= document.length; i++) {
    const block = (((from.block + i * step) % document.length) + document.length) % document.length;
    if (!mayContain(block)) continue;
    const rows = document.lines(block).flatMap((line, row) => (contains(textOfLine(line)) ? [row] : []));
    // The first block is searched twice: from its row on, and at last up to it.
    const ahead = i > 0 ? rows : rows.filter((row) => (row - from.row) * step > 0);
    const row = step === 1 ? ahead[0] : ahead.at(-1);
    if (row !== undefined) return { block, row };
  }
  return null;
}

/** Marks of Markdown are not on the screen. */
function withoutMarks(text: string): string {
  return text.replaceAll(/[*_`]/g, '');
}

/** The line with every match in another style. */
export function highlighted(line: Line, query: string, style: Style): Line {
  const text = folder(query)(textOfLine(line));
  if (query === '' || !text.includes(query)) return line;
  const marks = new Set<number>();
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length))
    for (let i = at; i < at + query.length; i++) marks.add(i);
  let start = 0;
  return line.flatMap((span) => {
    const parts = splitSpan(span, { start, marks, style });
    start += span.text.length;
    return parts;
  });
}

type Marking = { start: number; marks: ReadonlySet<number>; style: Style };

function splitSpan(span: Span, { start, marks, style }: Marking): Span[] {
  const parts: Span[] = [];
  let from = 0;
  for (let i = 1; i <= span.text.length; i++) {
    const isMarked = marks.has(start + from);
    if (i < span.text.length && marks.has(start + i) === isMarked) continue;
    const text = span.text.slice(from, i);
    parts.push(isMarked ? { text, style: { ...span.style, ...style } } : { ...span, text });
    from = i;
  }
  return parts;
}
