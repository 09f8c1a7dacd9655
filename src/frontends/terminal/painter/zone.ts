import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../text/measure.ts';
import { takeCaret } from '../view/caret.ts';
import { gapOf, rowChange } from './row-changes.ts';
import type { Place } from './zone-model.ts';

const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';
const ERASE_BELOW = '\u001b[J';
const ERASE_LINE_END = '\u001b[K';
const TO_THE_EDGE = '\u001b[9999C';
/** Turns wrapping off: a row that is too long for a narrower terminal is truncated, and stays one row. */
const CUT_OFF = '\u001b[?7l';
const BREAK = '\u001b[?7h';

type ZoneOptions = { columns(): number; rows(): number };

type PaintOptions = {
  above: string;
  /** Whether rows of the zone that show finished text may stay where they are: they were read at this width. */
  mayStay: boolean;
  question(): string;
};

/** The rows that may change, and the output that changes them on a terminal that is in sync. */
export class Zone {
  readonly #options: ZoneOptions;
  /** The rows on the screen. An empty zone is one empty row, the one with the cursor. */
  #rows: readonly string[] = [''];
  #at: Place = { row: 0, column: 0 };
  #cursorShown = true;

  constructor(options: ZoneOptions) {
    this.#options = options;
  }

  get rows(): readonly string[] {
    return this.#rows;
  }

  get at(): Place {
    return this.#at;
  }

  get isEmpty(): boolean {
    return this.#rows.length === 1 && this.#rows[0] === '' && this.#at.column === 0;
  }

  /** Starts a new zone at the cursor, which is in an empty row. */
  forget(): void {
    this.#rows = [''];
    this.#at = { row: 0, column: 0 };
  }

  /** These rows are already painted, with the cursor at this position. */
  takeOver(rows: readonly string[], at: Place): void {
    this.#rows = rows.length > 0 ? rows : [''];
    this.#at = at;
    this.#cursorShown = true;
  }

  /**
   * Empty when the frame is already painted. `question` is written at the right edge, on the way to the
   * caret.
   */
  paint(frame: string, { above, mayStay, question }: PaintOptions): string {
    const { rows, caret } = this.#read(frame);
    const inPlace = above === '' || (mayStay && this.#fits(above, rows));
    const changes = inPlace ? this.#update(rows, linesOf(above)) : this.pass(above) + this.#update(rows);
    if (changes === '' && this.#isAt(caret)) return '';
    const hidden = changes !== '' && this.#cursorShown ? HIDE : '';
    const asked = question();
    const edge = asked === '' ? '' : `${TO_THE_EDGE}${asked}`;
    const cursor = this.#placeCursor(caret, { moved: changes !== '' });
    return `${hidden}${changes}${edge}${cursor}`;
  }

  /** Writes finished text in place of the zone, which follows it. */
  pass(above: string): string {
    if (above === '') return '';
    return this.takeAway() + above.replaceAll(/\r?\n/g, '\r\n');
  }

  takeAway(): string {
    const start = `${this.#goTo(0)}\r${this.#erase()}`;
    this.forget();
    return start;
  }

  hideCursor(): string {
    const hidden = this.#cursorShown ? HIDE : '';
    this.#cursorShown = false;
    return hidden;
  }

  showCursor(): string {
    this.#cursorShown = true;
    return SHOW;
  }

  /** Rows from the top of the zone to the cursor, if the terminal has reflowed all lines. */
  rowsAboveCursor(): number {
    const columns = Math.max(1, this.#options.columns());
    const rowsOf = (line: string) => Math.max(1, Math.ceil(paintedWidth(line) / columns));
    const before = this.#rows.slice(0, this.#at.row).reduce((sum, line) => sum + rowsOf(line), 0);
    return before + Math.floor(this.#at.column / columns);
  }

  /** Never taller than the screen: a row that has scrolled off cannot be changed any more. */
  #read(frame: string): { rows: string[]; caret: Place | null } {
    const all = frame.replace(/\n$/, '').split('\n').slice(-this.#options.rows());
    let caret: Place | null = null;
    const rows = all.map((line, row) => {
      const marked = takeCaret(line);
      if (!marked) return line;
      const column = Math.min(paintedWidth(marked.before), this.#options.columns() - 1);
      caret ??= { row, column };
      return marked.line;
    });
    return { rows, caret };
  }

  /**
   * From the zone's first row. Erasing from the very top of a screen makes some terminals keep its content.
   */
  #erase(): string {
    return this.#rows.length > 1 ? `${ERASE_LINE_END}\u001b[1B${ERASE_BELOW}\u001b[1A` : ERASE_LINE_END;
  }

  /** Whether finished text can take the place of rows that already show it, without scrolling any of them off. */
  #fits(above: string, rows: readonly string[]): boolean {
    const lines = linesOf(above);
    return (
      !this.isEmpty &&
      lines.length + rows.length <= this.#options.rows() &&
      this.#rows.length <= this.#options.rows() &&
      lines.every((line) => paintedWidth(line) <= this.#options.columns())
    );
  }

  /** Finished lines become the first rows; they stay, and the zone begins after them. */
  #update(rows: readonly string[], finished: readonly string[] = []): string {
    const wanted = [...finished, ...rows];
    let out = this.#moveRows(wanted);
    const old = this.#rows;
    let wraps = true;
    for (const [row, line] of wanted.entries()) {
      if (line === old[row]) continue;
      const { column, text, toEnd } = rowChange(old[row] ?? '', line);
      const place = `${this.#goTo(row)}\r${column > 0 ? `\u001b[${column}C` : ''}`;
      if (wraps && row >= finished.length) {
        wraps = false;
        out += CUT_OFF;
      }
      out += `${place}${text}${toEnd ? this.#eraseAfter(line, old[row]) : ''}`;
    }
    if (!wraps) out += BREAK;
    this.#rows = rows;
    this.#at = { ...this.#at, row: this.#at.row - finished.length };
    return out;
  }

  /** Inserts or deletes rows on the screen, so that rows that only move are not written again. */
  #moveRows(wanted: readonly string[]): string {
    const old = this.#rows;
    const added = wanted.length - old.length;
    const gap = added === 0 ? 0 : gapOf(old, wanted);
    if (added === 0 || (added > 0 && gap === old.length)) return '';
    const [before, after] = [old.slice(0, gap), old.slice(gap)];
    if (added < 0) {
      const removal = gap === wanted.length ? ERASE_BELOW : `\u001b[${-added}M`;
      this.#rows = [...before, ...after.slice(-added)];
      return `${this.#goTo(gap)}\r${removal}`;
    }
    const room = this.#goTo(wanted.length - 1);
    this.#rows = [...before, ...Array.from({ length: added }, () => ''), ...after];
    return `${room}${this.#goTo(gap)}\r\u001b[${added}L`;
  }

  /** In a full row the cursor is still on the last character, which must not be erased. */
  #eraseAfter(line: string, old: string | undefined): string {
    return old === undefined || old === '' || paintedWidth(line) >= this.#options.columns()
      ? ''
      : ERASE_LINE_END;
  }

  /** Creates rows past the last one. */
  #goTo(row: number): string {
    const from = this.#at.row;
    this.#at = { row, column: 0 };
    if (row < from) return `\u001b[${from - row}A`;
    const last = Math.max(from, this.#rows.length - 1);
    const down = Math.min(row, last) - from;
    return (down > 0 ? `\u001b[${down}B` : '') + '\r\n'.repeat(Math.max(0, row - last));
  }

  #isAt(caret: Place | null): boolean {
    if (!caret) return !this.#cursorShown;
    return this.#cursorShown && caret.row === this.#at.row && caret.column === this.#at.column;
  }

  /** Without a caret the cursor is in the last row: terminals that reflow lose count of rows below it. */
  #placeCursor(caret: Place | null, { moved }: { moved: boolean }): string {
    if (!caret) return `${this.#goTo(this.#rows.length - 1)}\r${this.hideCursor()}`;
    const rows = this.#goTo(caret.row);
    this.#at = caret;
    const show = moved || !this.#cursorShown ? this.showCursor() : '';
    return `${rows}\r${caret.column > 0 ? `\u001b[${caret.column}C` : ''}${show}`;
  }
}

function linesOf(above: string): string[] {
  return above === '' ? [] : above.replace(/\r?\n$/, '').split(/\r?\n/);
}

/** The width of a painted row. */
function paintedWidth(row: string): number {
  return widthOf(stripVTControlCharacters(row));
}
