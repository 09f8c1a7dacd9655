import type { Line, Span, Style } from '../view/types.ts';
import { graphemesOf, takeColumns, widthOf } from './measure.ts';

const PIECE = /\n| +|[^ \n]+/g;
/** Scripts that may be wrapped between any two characters. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{20000}-\u{3fffd}]/u;
/** Must not start a row. */
const CLOSING = /^[、。，．・：；？！」』）】〕》〉”’]/u;

/** Builds rows: fills them with words, and merges spans of the same style. */
class Rows {
  readonly rows: Span[][] = [];
  #row: Span[] = [];
  #used = 0;
  #word: Span[] = [];
  #wordWidth = 0;
  #blanks: Span | null = null;
  readonly #width: number;

  constructor(width: number) {
    this.#width = Math.max(2, width);
  }

  add(text: string, style: Style | undefined): void {
    for (const [piece] of text.matchAll(PIECE)) {
      if (piece === '\n') this.newline();
      else if (piece.startsWith(' ')) this.#space(piece, style);
      else if (WIDE.test(piece)) this.#letters(piece, style);
      else this.#grow(piece, style);
    }
  }

  newline(): void {
    this.#place();
    this.#blanks = null;
    this.#turn();
  }

  #space(blanks: string, style: Style | undefined): void {
    this.#place();
    this.#blanks = { text: (this.#blanks?.text ?? '') + blanks, ...(style && { style }) };
  }

  #letters(piece: string, style: Style | undefined): void {
    let afterWide = false;
    for (const letter of graphemesOf(piece)) {
      const wide = WIDE.test(letter);
      if ((wide || afterWide) && !CLOSING.test(letter)) this.#place();
      this.#grow(letter, style);
      afterWide = wide;
    }
  }

  #grow(text: string, style: Style | undefined): void {
    append(this.#word, text, style);
    this.#wordWidth += widthOf(text);
  }

  /** Places the word where it fits; one wider than a row is cut between graphemes. */
  #place(): void {
    if (this.#word.length === 0) return;
    const word = this.#word;
    const blanks = this.#blanks;
    const gap = blanks?.text.length ?? 0;
    const fits = this.#used + gap + this.#wordWidth <= this.#width;
    if (!fits && this.#used > 0) this.#turn();
    else if (blanks && gap < this.#width) {
      append(this.#row, blanks.text, blanks.style);
      this.#used += gap;
    }
    if (this.#used + this.#wordWidth <= this.#width) {
      for (const span of word) append(this.#row, span.text, span.style);
      this.#used += this.#wordWidth;
    } else this.#cut(word);
    this.#word = [];
    this.#wordWidth = 0;
    this.#blanks = null;
  }

  #cut(word: readonly Span[]): void {
    for (const { text, style } of word) {
      for (let rest = text; rest !== ''; ) {
        const room = this.#width - this.#used;
        const part = takeColumns(rest, room);
        if (this.#used > 0 && widthOf(part) > room) {
          this.#turn();
          continue;
        }
        append(this.#row, part, style);
        this.#used += widthOf(part);
        rest = rest.slice(part.length);
        if (rest !== '') this.#turn();
      }
    }
  }

  #turn(): void {
    this.rows.push(this.#row);
    this.#row = [];
    this.#used = 0;
  }

  end(): Span[][] {
    this.#place();
    this.#turn();
    return this.rows;
  }
}

/** Rows of at most `width` columns, wrapped between words. Spaces at the end of a row are dropped. */
export function wrap(spans: Line, width: number): Line[] {
  const rows = new Rows(width);
  for (const { text, style } of spans) rows.add(text, style);
  return rows.end();
}

/** Rows of at most `width` columns that keep every space, for code. */
export function chop(spans: Line, width: number): Line[] {
  const room = Math.max(2, width);
  const rows: Span[][] = [[]];
  let used = 0;
  for (const { text, style } of spans) {
    for (let rest = text; rest !== ''; ) {
      const part = takeColumns(rest, room - used);
      const columns = widthOf(part);
      if (used > 0 && used + columns > room) {
        rows.push([]);
        used = 0;
        continue;
      }
      append(rows.at(-1) ?? [], part, style);
      used += columns;
      rest = rest.slice(part.length);
    }
  }
  return rows;
}

export function widthOfLine(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

function append(row: Span[], text: string, style: Style | undefined): void {
  const last = row.at(-1);
  if (last && last.style === style) row[row.length - 1] = { ...last, text: last.text + text };
  else row.push(style ? { text, style } : { text });
}
