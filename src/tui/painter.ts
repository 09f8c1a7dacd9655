import { stripVTControlCharacters } from 'node:util';
import { takeCaret } from './caret.ts';
import { widthOf } from './measure.ts';

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';
const HIDE = '\u001b[?25l';
const SHOW = '\u001b[?25h';
const ERASE_BELOW = '\u001b[J';
const ERASE_LINE_END = '\u001b[K';

export type PainterOptions = {
  write(text: string): void;
  columns(): number;
  rows(): number;
  /** Whether the terminal breaks long lines anew when its width changes. */
  reflows: boolean;
};

type Place = { row: number; column: number };

/**
 * Keeps a few rows at the end of the output up to date, and lets finished text pass above them into the scrollback.
 * Only rows that differ are written, all of a change in one write; nothing above the zone is ever touched again.
 */
export class Painter {
  readonly #options: PainterOptions;
  /** As they stand on the screen. A zone without content is one empty row, the one the cursor is in. */
  #rows: string[] = [''];
  #at: Place = { row: 0, column: 0 };
  #cursorShown = true;
  #above = '';
  #stale = false;
  #paused = false;

  constructor(options: PainterOptions) {
    this.#options = options;
  }

  /** The next frame must be painted even if it is the last one again. */
  get stale(): boolean {
    return this.#stale || this.#above !== '';
  }

  /** Whole lines, which go into the scrollback with the next frame. */
  above(text: string): void {
    this.#above += text.endsWith('\n') ? text : `${text}\n`;
  }

  paint(frame: string): void {
    if (this.#paused) return;
    const { rows, caret } = this.#read(frame);
    const changes = this.#pass() + this.#update(rows);
    const cursor = this.#placeCursor(caret, { moved: changes !== '' });
    this.#stale = false;
    if (changes + cursor === '') return;
    const hidden = changes !== '' && this.#cursorShown;
    this.#cursorShown = caret !== null;
    this.#options.write(`${BEGIN_UPDATE}${hidden ? HIDE : ''}${changes}${cursor}${END_UPDATE}`);
  }

  /** The terminal has another size: what stands there has moved, so the zone is taken away until the next frame. */
  resized(): void {
    if (this.#paused) return;
    const { reflows, rows, write } = this.#options;
    const over = reflows ? this.#rowsAboveCursor() : this.#at.row;
    const up = Math.min(over, rows() - 1);
    this.#forget();
    write(`${BEGIN_UPDATE}${up > 0 ? `\u001b[${up}A` : ''}\r${ERASE_BELOW}${END_UPDATE}`);
  }

  /** Takes the zone away and leaves the terminal to others, until `resume`. */
  pause(): void {
    if (this.#paused) return;
    this.#options.write(`${this.#pass()}${this.#goTo(0)}\r${this.#eraseZone()}${SHOW}`);
    this.#forget();
    this.#cursorShown = true;
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#forget();
  }

  #forget(): void {
    this.#rows = [''];
    this.#at = { row: 0, column: 0 };
    this.#stale = true;
  }

  /** Never taller than the screen: a row that has left it could not be changed any more. */
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

  #pass(): string {
    if (this.#above === '') return '';
    const text = this.#above.replaceAll(/\r?\n/g, '\r\n');
    this.#above = '';
    const start = `${this.#goTo(0)}\r${this.#eraseZone()}`;
    this.#rows = [''];
    this.#at = { row: 0, column: 0 };
    return start + text;
  }

  /** From the zone's first row. Whoever erases from the very top of a screen makes some terminals keep what was there. */
  #eraseZone(): string {
    return this.#rows.length > 1 ? `${ERASE_LINE_END}\u001b[1B${ERASE_BELOW}\u001b[1A` : ERASE_LINE_END;
  }

  #update(rows: string[]): string {
    const old = this.#rows;
    let out = '';
    for (const [row, line] of rows.entries()) {
      if (line === old[row]) continue;
      out += `${this.#goTo(row)}\r${line}${this.#eraseAfter(line, old[row])}`;
    }
    if (old.length > rows.length) {
      out += `${this.#goTo(rows.length)}\r${ERASE_BELOW}`;
    }
    this.#rows = rows;
    return out;
  }

  /** In a full row the cursor still stands on its last character, which must not be erased. */
  #eraseAfter(line: string, old: string | undefined): string {
    return old === undefined || old === '' || paintedWidth(line) >= this.#options.columns()
      ? ''
      : ERASE_LINE_END;
  }

  /** Rows past the last one are made. */
  #goTo(row: number): string {
    const from = this.#at.row;
    this.#at = { row, column: 0 };
    if (row < from) return `\u001b[${from - row}A`;
    const last = Math.max(from, this.#rows.length - 1);
    const down = Math.min(row, last) - from;
    return (down > 0 ? `\u001b[${down}B` : '') + '\r\n'.repeat(Math.max(0, row - last));
  }

  #placeCursor(caret: Place | null, { moved }: { moved: boolean }): string {
    if (!caret) return this.#cursorShown && !moved ? HIDE : '';
    if (!moved && this.#cursorShown && caret.row === this.#at.row && caret.column === this.#at.column)
      return '';
    const rows = this.#goTo(caret.row);
    this.#at = caret;
    return `${rows}\r${caret.column > 0 ? `\u001b[${caret.column}C` : ''}${moved || !this.#cursorShown ? SHOW : ''}`;
  }

  /** How far the cursor is from the top of the zone, after the terminal has broken the lines anew. */
  #rowsAboveCursor(): number {
    const columns = Math.max(1, this.#options.columns());
    const rowsOf = (line: string) => Math.max(1, Math.ceil(paintedWidth(line) / columns));
    const before = this.#rows.slice(0, this.#at.row).reduce((sum, line) => sum + rowsOf(line), 0);
    return before + Math.floor(this.#at.column / columns);
  }
}

/** Columns of a row with its colours. */
function paintedWidth(row: string): number {
  return widthOf(stripVTControlCharacters(row));
}
