import { stripVTControlCharacters } from 'node:util';
import { takeColumns, widthOf } from '../text/measure.ts';

export type Place = { row: number; column: number };

type Row = {
  text: string;
  /** The terminal wrapped a line: this row does not start one. */
  continues: boolean;
};

type ModelOptions = { rows: readonly string[]; at: Place; columns: number; reflows: boolean };

const ESC = '\u001b';
const BEL = '\u0007';

/** What the painter writes: wrapping on and off, moves and erasing, links and colors, text. */
const TOKENS = new RegExp(
  [
    `${ESC}\\[\\?7(?<wraps>[hl])`,
    `${ESC}\\[(?<count>\\d*)(?<move>[ABCJKLM])`,
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`,
    `${ESC}\\[[0-?]*[ -/]*[@-~]`,
    '(?<sign>[\\r\\n])',
    `(?<text>[^${ESC}\\r\\n]+)`,
  ].join('|'),
  'gu',
);

/**
 * Simulates the effect on our rows when the terminal's width changes before it has read what was written for
 * the old one. Row 0 is where the zone started; rows above it are not modelled.
 */
export class ZoneModel {
  readonly #reflows: boolean;
  #rows: Row[];
  #row: number;
  #column: number;
  #columns: number;
  #wraps = true;

  constructor({ rows, at, columns, reflows }: ModelOptions) {
    this.#reflows = reflows;
    this.#columns = columns;
    this.#rows = rows.map((row) => ({
      text: head(stripVTControlCharacters(row), columns),
      continues: false,
    }));
    this.#row = at.row;
    this.#column = at.column;
  }

  /** Rows from the top to the cursor. */
  get above(): number {
    return this.#row;
  }

  /** The minimum of `above`, whatever the width when the terminal reads. */
  get surelyAbove(): number {
    return this.#rows.slice(1, this.#row + 1).filter(({ continues }) => !continues).length;
  }

  /**
   * `column`, if known, is the reported cursor column. Most terminals reflow the cursor's own line like
   * others; those based on xterm.js truncate it and leave it to the program.
   */
  resize(columns: number, column?: number): void {
    if (columns === this.#columns) return;
    const width = { from: this.#columns, to: columns };
    this.#columns = columns;
    const cursorLine = this.#start(this.#row);
    const cursorEnd = this.#end(this.#row);
    const offset = (this.#row - cursorLine) * width.from + this.#column;
    const stays = Math.min(this.#column, columns - 1);
    if (!this.#reflows) {
      this.#rows = this.#rows.map((row) => ({ ...row, text: head(row.text, columns) }));
      this.#column = stays;
      return;
    }
    const before = broken(this.#rows.slice(0, cursorLine), width);
    const own = this.#rows.slice(cursorLine, cursorEnd);
    const breaks = column !== undefined && column !== stays && column === offset % columns;
    const inLine = breaks ? Math.floor(offset / columns) : this.#row - cursorLine;
    const line = breaks ? broken(own, width) : own.map((row) => ({ ...row, text: head(row.text, columns) }));
    this.#rows = [...before, ...line, ...broken(this.#rows.slice(cursorEnd), width)];
    this.#row = before.length + inLine;
    this.#column = breaks ? offset % columns : stays;
    this.#grow();
  }

  write(bytes: string): void {
    for (const { groups = {} } of bytes.matchAll(TOKENS)) {
      const { wraps, count, move, sign, text } = groups;
      if (wraps) this.#wraps = wraps === 'h';
      else if (move) this.#move(move, Number(count || '1'));
      else if (sign === '\r') this.#column = 0;
      else if (sign === '\n') this.#down(1);
      else if (text) this.#put(text);
    }
  }

  #move(move: string, count: number): void {
    if (move === 'A') this.#row = Math.max(0, this.#row - count);
    else if (move === 'B') this.#down(count);
    else if (move === 'C') this.#column = Math.min(this.#column + count, this.#columns - 1);
    else if (move === 'L' || move === 'M') this.#shiftRows(move === 'L' ? count : -count);
    else this.#erase({ below: move === 'J' });
  }

  /** Inserts rows at the cursor, or deletes them; rows that leave the screen at its end are empty. */
  #shiftRows(added: number): void {
    const empty = Array.from({ length: Math.abs(added) }, () => ({ text: '', continues: false }));
    if (added < 0) this.#rows.splice(this.#row, -added);
    else {
      this.#rows.splice(this.#row, 0, ...empty);
      this.#rows.length -= added;
    }
    this.#column = 0;
    this.#grow();
  }

  #down(count: number): void {
    this.#row += count;
    this.#grow();
  }

  #grow(): void {
    while (this.#rows.length <= this.#row) this.#rows.push({ text: '', continues: false });
  }

  #erase({ below }: { below: boolean }): void {
    const row = this.#current;
    this.#rows[this.#row] = {
      text: head(row.text, this.#column),
      continues: row.continues && this.#column > 0,
    };
    if (below) this.#rows.length = this.#row + 1;
  }

  #put(text: string): void {
    let rest = text;
    while (rest !== '') {
      if (this.#column >= this.#columns && this.#wraps) {
        this.#column = 0;
        this.#down(1);
        this.#rows[this.#row] = { ...this.#current, continues: true };
      }
      const piece = head(rest, this.#columns - this.#column);
      if (piece === '' && (!this.#wraps || this.#column === 0)) return;
      this.#overwrite(piece);
      rest = rest.slice(piece.length);
      if (piece === '') this.#column = this.#columns;
    }
  }

  #overwrite(piece: string): void {
    const { text, continues } = this.#current;
    const end = this.#column + widthOf(piece);
    const before = head(text, this.#column).padEnd(this.#column);
    this.#rows[this.#row] = { text: before + piece + text.slice(head(text, end).length), continues };
    this.#column = this.#wraps ? end : Math.min(end, this.#columns - 1);
  }

  get #current(): Row {
    return this.#rows[this.#row] ?? { text: '', continues: false };
  }

  #start(row: number): number {
    let start = row;
    while (start > 0 && this.#rows[start]?.continues) start--;
    return start;
  }

  #end(row: number): number {
    let end = row + 1;
    while (this.#rows[end]?.continues) end++;
    return end;
  }
}

/** Joins rows to lines and wraps them again. */
function broken(rows: readonly Row[], { from, to }: { from: number; to: number }): Row[] {
  const lines: string[] = [];
  for (const [i, { text, continues }] of rows.entries()) {
    const next = rows[i + 1];
    const cells = next?.continues ? filled(text, { before: next.text, columns: from }) : text;
    if (continues && lines.length > 0) lines.push((lines.pop() ?? '') + cells);
    else lines.push(cells);
  }
  return lines.flatMap((line) => pieces(line, to).map((text, i) => ({ text, continues: i > 0 })));
}

/**
 * A row that continues in the next counts as full, except for a column where a wide character did not fit.
 */
function filled(text: string, { before, columns }: { before: string; columns: number }): string {
  const missing = columns - widthOf(text);
  const wentOver = missing === 1 && widthOf(takeColumns(before, 1)) === 2;
  return wentOver ? text : text + ' '.repeat(Math.max(0, missing));
}

function pieces(line: string, columns: number): string[] {
  const all = [takeColumns(line, columns)];
  for (let at = all[0]?.length ?? 0; at < line.length; ) {
    const piece = takeColumns(line.slice(at), columns);
    all.push(piece);
    at += piece.length;
  }
  return all;
}

/** The longest prefix that fits, empty if not even one character does. */
function head(text: string, columns: number): string {
  if (columns <= 0) return '';
  const piece = takeColumns(text, columns);
  return widthOf(piece) > columns ? '' : piece;
}
