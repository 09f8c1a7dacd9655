import stringWidth from 'string-width';
import { NARROW } from './narrow.ts';
import { sanitize } from './sanitize.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The width of a text on a terminal, in columns. */
export function widthOf(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** User-perceived characters: a letter with its combining marks, a whole emoji. */
export function graphemesOf(text: string): string[] {
  return NARROW.test(text) ? [...text] : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * The longest prefix that fits, cut between graphemes; at least one grapheme, so that cutting always
 * advances.
 */
export function takeColumns(text: string, columns: number): string {
  if (NARROW.test(text)) return text.slice(0, Math.max(1, columns));
  let used = 0;
  let end = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    used += stringWidth(segment);
    if (used > columns && index > 0) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** As one row of at most this many columns; truncation is marked by an ellipsis. */
export function fitTo(text: string, columns: number): string {
  const row = sanitize(text).replaceAll('\n', ' ');
  if (widthOf(row) <= columns) return row;
  if (columns < 2) return columns === 1 ? '…' : '';
  const kept = takeColumns(row, columns - 1);
  return widthOf(kept) < columns ? `${kept}…` : '…';
}

/** Where the last grapheme of a text starts. */
export function lastGrapheme(text: string): number {
  let start = 0;
  for (const { index } of segmenter.segment(text)) start = index;
  return start;
}
