import { credentialName } from './credential-names.ts';
import { isCredential, looksRandom } from './credential-values.ts';
import type { Cut, Finder } from './scan-hints.ts';

const MOST_ROWS = 2_000;
const LONGEST_ROW = 2_000;
const HEADER_CELL = /^[A-Za-z][\w .-]{0,39}$/;

/** The values of a column with a secret name, in CSV and its kin. */
export const tableValues: Finder = {
  hints: ['pass', 'pwd', 'secret', 'token', 'key'],
  ignoreCase: true,
  find(text, at, from) {
    const start = lineStart(text, at);
    const header = start === null || start < from ? null : rowAt(text, start);
    const separator = [',', ';', '\t'].find((sign) => header?.text.includes(sign));
    if (!header || separator === undefined || isRow(text, header.start, separator)) return [];
    const names = cellsOf(header, separator);
    if (!names.every(({ text: name }) => HEADER_CELL.test(name))) return [];
    return rowsAfter(text, header.end).flatMap((row) => {
      const cells = cellsOf(row, separator);
      return cells.length === names.length
        ? cells.flatMap((cell, i) => cutOf(cell, names[i]?.text ?? ''))
        : [];
    });
  },
};

/** Whether the line before this place is a row, too: then this one is not the first. */
function isRow(text: string, start: number, separator: string): boolean {
  const before = start === 0 ? null : lineStart(text, start - 1);
  return before !== null && text.slice(before, start).includes(separator);
}

type Cell = { start: number; end: number; text: string };

function cutOf({ start, end, text }: Cell, name: string): Cut[] {
  const kind = credentialName(name);
  if (!kind || !isCredential(text, { kind, isData: true, quoted: true })) return [];
  return [{ start, end, name: name.replaceAll(/\W/g, '-'), alone: looksRandom(text) ? [text] : [] }];
}

/** Null in a line that is too long for a row. */
function lineStart(text: string, at: number): number | null {
  const before = text.slice(Math.max(0, at - LONGEST_ROW), at);
  const feed = before.lastIndexOf('\n');
  if (feed !== -1) return at - before.length + feed + 1;
  return before.length === at ? 0 : null;
}

function rowAt(text: string, start: number): Cell | null {
  const [line = ''] = text.slice(start, start + LONGEST_ROW + 1).split('\n', 1);
  const end = start + line.replace(/\r$/, '').length;
  return end === start || line.length > LONGEST_ROW ? null : { start, end, text: text.slice(start, end) };
}

function rowsAfter(text: string, end: number): Cell[] {
  const rows: Cell[] = [];
  for (let feed = text.indexOf('\n', end); feed !== -1 && rows.length < MOST_ROWS; ) {
    const row = rowAt(text, feed + 1);
    if (!row) break;
    rows.push(row);
    feed = text.indexOf('\n', row.end);
  }
  return rows;
}

/** Cells without their quotes. */
function cellsOf({ start, text }: Cell, separator: string): Cell[] {
  const cells: Cell[] = [];
  for (let from = 0; from <= text.length; ) {
    const isQuoted = text.charAt(from) === '"' && text.indexOf('"', from + 1) !== -1;
    const close = isQuoted ? text.indexOf('"', from + 1) + 1 : from;
    const next = text.indexOf(separator, close);
    const to = next === -1 ? text.length : next;
    const written = text.slice(from, to);
    const inner = written.trim().replace(/^"(.*)"$/, '$1');
    const begin = start + from + written.indexOf(inner);
    cells.push({ start: begin, end: begin + inner.length, text: inner });
    from = to + 1;
  }
  return cells;
}
