import { strokeOf } from '../keyboard/keymap.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import type { Room } from '../view/display-lines.ts';
import type { Key, Line } from '../view/types.ts';
import type { PagerDocument } from './document.ts';
import { findRow, highlighted, type Place } from './find.ts';

const HELP = '/ search · n/N next/previous · g/G start/end · q close';
const MATCH = { inverse: true } as const;

type PagerSize = Room & { rows: number };

/** Shown in the last row instead of the keys. */
export type PagerNews = { text: string } | null;

/** Reads a conversation: which rows are visible, and what the keys do. Starts at the end. */
export class Pager {
  readonly #document: PagerDocument;
  #top: Place = { block: 0, row: 0 };
  /** Stays at the end while the conversation goes on. */
  #follows = true;
  /** What is being typed after `/`; null outside a search. */
  #typed: string | null = null;
  #query = '';
  #match: Place | null = null;
  #note = '';
  /** Rows for the conversation, without the last row. */
  #height = 1;

  /** `callId`: starts at this call. */
  constructor(document: PagerDocument, { callId }: { callId?: string } = {}) {
    this.#document = document;
    this.#start = callId ?? null;
  }

  #start: string | null;

  lines(size: PagerSize, news: PagerNews): Line[] {
    const { rows, ...room } = size;
    this.#height = Math.max(1, rows - 1);
    const moved = this.#document.update(room);
    this.#top = { ...this.#top, block: Math.max(0, this.#top.block + moved) };
    this.#goToStart();
    if (this.#follows) this.#top = this.#lastTop();
    const shown = this.#visible().map((line) => highlighted(line, this.#query, MATCH));
    const blank = Array.from({ length: Math.max(0, this.#height - shown.length) }, (): Line => []);
    return [...shown, ...blank, ...(rows > 1 ? [this.#footer(size, news)] : [])];
  }

  /** Whether it stays open. */
  press(key: Key): boolean {
    if (this.#typed !== null) {
      this.#type(key);
      return true;
    }
    if (key.type !== 'key') return true;
    this.#note = '';
    switch (strokeOf(key)) {
      case 'q':
      case 'escape':
      case 'ctrl+o':
      case 'ctrl+c':
      case 'ctrl+d':
        return false;
      case 'up':
      case 'k':
        this.#move(-1);
        break;
      case 'down':
      case 'j':
      case 'return':
        this.#move(1);
        break;
      case 'pageup':
      case 'b':
        this.#move(1 - this.#height);
        break;
      case 'pagedown':
      case 'space':
        this.#move(this.#height - 1);
        break;
      case 'home':
      case 'g':
        this.#goTo({ block: 0, row: 0 });
        break;
      case 'end':
      case 'G':
        this.#goTo(this.#lastTop());
        break;
      case '/':
        this.#typed = '';
        break;
      case 'n':
        this.#find(1);
        break;
      case 'N':
        this.#find(-1);
        break;
      default:
    }
    return true;
  }

  #goToStart(): void {
    const block = this.#start === null ? null : this.#document.blockOf(this.#start);
    this.#start = null;
    if (block !== null) this.#goTo({ block, row: 0 });
  }

  #type(key: Key): void {
    const typed = this.#typed ?? '';
    if (key.type === 'paste') this.#typed = typed + key.text.replaceAll(/\s+/g, ' ');
    if (key.type !== 'key') return;
    const stroke = strokeOf(key);
    if (stroke === 'escape' || stroke === 'ctrl+c') this.#typed = null;
    else if (stroke === 'backspace') this.#typed = typed === '' ? null : [...typed].slice(0, -1).join('');
    else if (stroke === 'return') {
      this.#typed = null;
      this.#query = typed;
      this.#match = null;
      this.#find(1);
    } else if (key.text !== '' && !key.ctrl && !key.alt) this.#typed = typed + key.text;
  }

  /** From the last match on, or else from the top of the screen. */
  #find(step: 1 | -1): void {
    if (this.#query === '') return;
    const from = this.#match ?? { ...this.#top, row: this.#top.row - step };
    this.#match = findRow(this.#document, this.#query, { from, step });
    this.#note = this.#match ? '' : `No match for "${this.#query}"`;
    if (this.#match && !this.#isVisible(this.#match)) this.#goTo(this.#match);
  }

  #isVisible({ block, row }: Place): boolean {
    let rows = -this.#top.row;
    for (let i = this.#top.block; i < block && rows < this.#height; i++) rows += this.#heightOf(i);
    const at = rows + row;
    return block >= this.#top.block && at >= 0 && at < this.#height;
  }

  #move(by: number): void {
    let { block, row } = this.#top;
    row += by;
    while (row < 0 && block > 0) row += this.#heightOf(--block);
    while (row >= this.#heightOf(block) && block < this.#document.length - 1) row -= this.#heightOf(block++);
    this.#goTo({ block, row: Math.max(0, row) });
  }

  #goTo(place: Place): void {
    const last = this.#lastTop();
    this.#follows = place.block > last.block || (place.block === last.block && place.row >= last.row);
    this.#top = this.#follows ? last : place;
  }

  /** Where the end of the conversation is at the bottom of the screen. */
  #lastTop(): Place {
    let block = this.#document.length;
    let missing = this.#height;
    while (block > 0 && missing > 0) missing -= this.#heightOf(--block);
    return { block, row: Math.max(0, -missing) };
  }

  #visible(): Line[] {
    const lines: Line[] = [];
    const { block: first, row } = this.#top;
    for (let block = first; block < this.#document.length && lines.length < this.#height; block++)
      lines.push(...this.#document.lines(block).slice(block === first ? row : 0));
    return lines.slice(0, this.#height);
  }

  #heightOf(block: number): number {
    return this.#document.lines(block).length;
  }

  #footer({ columns, theme }: PagerSize, news: PagerNews): Line {
    const { styles } = theme;
    if (this.#typed !== null)
      return [
        { text: fitTo(`/${this.#typed}`, columns - 1), style: styles.text },
        { text: ' ', style: MATCH },
      ];
    const told = news?.text ?? this.#note;
    if (told !== '') return [{ text: fitTo(told, columns), style: styles.warning }];
    const { title, length } = this.#document;
    const where = this.#follows ? 'end' : `${this.#top.block + 1} of ${length}`;
    const left = fitTo(`${title} · ${where}`, columns);
    const gap = columns - widthOf(left) - widthOf(HELP);
    const right = gap >= 2 ? `${' '.repeat(gap)}${HELP}` : '';
    return [
      { text: left, style: styles.strong },
      { text: right, style: styles.muted },
    ];
  }
}
