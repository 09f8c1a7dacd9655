import { CursorReplies } from './cursor-replies.ts';
import { Zone } from './zone.ts';
import { type Place, ZoneModel } from './zone-model.ts';

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';
const ERASE_BELOW = '\u001b[J';
const ERASE_LINE_END = '\u001b[K';
const TO_THE_EDGE = '\u001b[9999C';

export type PainterOptions = {
  write(text: string): void;
  columns(): number;
  rows(): number;
  /** Whether the terminal breaks long lines anew when its width changes. */
  reflows: boolean;
  /** Whether answers come through `replied`. */
  asks?: boolean;
  /** How long they are waited for; a second. */
  patienceMs?: number;
};

/** What is known to stand on the screen: this the terminal has read, at this width. */
type Known = { rows: readonly string[]; at: Place; columns: number };

type Sent = { text: string; above: string; rows: readonly string[]; at: Place };

/**
 * Keeps a few rows at the end of the output up to date, and lets finished text pass above them into the scrollback.
 * Only rows that differ are written, all of a change in one write; nothing above the zone is ever touched again.
 *
 * A terminal may take another width at any moment. It breaks the rows on it anew, then reads what was still written
 * for the old width, and only later are we told. So each write ends with a question at the right edge of the screen;
 * the answer says at which width it was read. Was it another than before, then a model of the zone (`ZoneModel`) works
 * out what became of it; the zone is taken away, with the finished text that went to a wrong place, and all of it is
 * painted again. Taking away goes up by as many rows as there are at any width, asks, and goes on from there: whatever
 * happens meanwhile, it never reaches above the zone. Finished text that could not be taken back, for want of room on
 * the screen, is written only when the zone has been taken away before.
 *
 * What this cannot mend: rows which the terminal itself pushes into the scrollback, because the zone is taller than the
 * screen has become; and a size that changes in the midst of one write. A terminal that does not answer is trusted to
 * have read everything at the size we know.
 */
export class Painter {
  readonly #options: PainterOptions;
  readonly #zone: Zone;
  readonly #replies: CursorReplies;
  /** The last one asked for; null while one for another size is awaited. */
  #frame: string | null = null;
  #above = '';
  #known: Known;
  #sent: Sent[] = [];
  /** The zone must be taken away before anything else. */
  #lost = false;
  #model: ZoneModel | null = null;
  /** Finished text that went to a wrong place. */
  #again = '';
  #paused = false;
  #settling = false;

  constructor(options: PainterOptions) {
    this.#options = options;
    this.#zone = new Zone(options);
    this.#replies = new CursorReplies(() => this.#trust(), options.patienceMs);
    this.#known = this.#supposed();
  }

  /** Whole lines, which go into the scrollback with the next frame. */
  above(text: string): void {
    this.#above += text.endsWith('\n') ? text : `${text}\n`;
  }

  paint(frame: string): void {
    if (this.#paused) return;
    this.#frame = frame;
    this.#goOn();
  }

  /** The terminal has another size: what stands there has moved, so the zone is taken away until the next frame. */
  resized(): void {
    if (this.#paused) return;
    this.#frame = null;
    this.#lost = true;
    this.#goOn();
  }

  /** Somebody else has painted these rows, and the cursor stands at their caret. */
  takeOver({ rows, caret }: { rows: readonly string[]; caret: Place }): void {
    this.#zone.takeOver(rows, caret);
    this.#suppose();
  }

  /** What the terminal has answered to a question. */
  replied(reply: string): void {
    this.#replies.take(reply);
  }

  /** Asks nothing more until `resume`; done when no answer is under way that another program would read. */
  settle(): Promise<void> {
    this.#settling = true;
    return this.#replies.settled();
  }

  /** Takes the zone away and leaves the terminal to others, until `resume`. `settle` comes first where there is time. */
  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#replies.forget();
    const above = this.#takeAbove();
    this.#options.write((this.#zone.pass(above) || this.#zone.takeAway()) + this.#zone.showCursor());
    this.#suppose();
  }

  resume(): void {
    this.#paused = false;
    this.#settling = false;
    this.#zone.forget();
    this.#suppose();
  }

  get #asks(): boolean {
    return this.#options.asks === true && !this.#settling && !this.#replies.silent;
  }

  #goOn(): void {
    if (this.#paused) return;
    if (this.#frame !== null && !this.#mayPass()) this.#lost = true;
    if (!this.#lost) this.#show();
    else if (this.#replies.awaiting) return;
    else if (this.#asks) this.#retreat();
    else this.#takeAwayUnseen();
  }

  #show(): void {
    if (this.#frame === null) return;
    const above = this.#above;
    const text = this.#zone.paint(this.#frame, { above, question: () => this.#question() });
    this.#above = '';
    if (text === '') return;
    const { rows, at } = this.#zone;
    this.#sent.push({ text, above, rows, at });
    if (!this.#asks) this.#suppose();
    this.#options.write(`${BEGIN_UPDATE}${text}${END_UPDATE}`);
  }

  #question(): string {
    return this.#asks ? this.#replies.ask(({ column }) => this.#wasRead(column)) : '';
  }

  /** What was written last but not yet answered for, this time included, could still be taken back. */
  #mayPass(): boolean {
    if (this.#above === '' || !this.#asks) return true;
    if (this.#zone.isEmpty && !this.#replies.awaiting) return true;
    const passing = this.#sent.reduce((all, { above }) => all + above, this.#above);
    return passing.split('\n').length + this.#zone.rows.length <= this.#options.rows() / 2;
  }

  #wasRead(columns: number): void {
    const sent = this.#sent.shift();
    if (!sent) return;
    this.#follow(sent, columns);
    if (this.#lost) this.#goOn();
  }

  #follow({ text, above, rows, at }: Sent, columns: number): void {
    if (!this.#model && columns !== this.#known.columns) {
      const model = this.#modelOf(this.#known);
      model.resize(columns);
      if (model.above !== this.#known.at.row) this.#model = model;
    }
    if (!this.#model) {
      this.#known = { rows, at, columns };
      return;
    }
    this.#lost = true;
    this.#model.resize(columns);
    this.#model.write(text);
    this.#again += above;
  }

  /** Up, as far as is safe at any width, again and again until the zone is gone. */
  #retreat(): void {
    this.#model ??= this.#modelOf(this.#known);
    const model = this.#model;
    const up = model.surelyAbove;
    const text =
      up > 0 ? `\u001b[${up}A\r${ERASE_LINE_END}\u001b[1B${ERASE_BELOW}\u001b[1A` : `\r${ERASE_BELOW}`;
    let found = 0;
    const before = this.#replies.ask(({ column }) => {
      found = column - 1;
    });
    const after = this.#replies.ask(({ column: columns }) => {
      model.resize(columns, found);
      model.write(text);
      this.#known = { ...this.#known, columns };
      if (model.above > 0) this.#retreat();
      else this.#arrived();
    });
    this.#zone.forget();
    this.#options.write(
      `${BEGIN_UPDATE}${before}${this.#zone.hideCursor()}${text}${TO_THE_EDGE}${after}\r${END_UPDATE}`,
    );
  }

  #arrived(): void {
    const { columns } = this.#known;
    this.#above = this.#takeAbove();
    this.#suppose();
    this.#known = { ...this.#known, columns };
    this.#show();
  }

  /** Of a terminal that does not answer: it has read everything, and has the size we know. */
  #takeAwayUnseen(): void {
    const { reflows, rows, write } = this.#options;
    const over = reflows ? this.#zone.rowsAboveCursor() : this.#zone.at.row;
    const up = Math.min(over, rows() - 1);
    this.#zone.forget();
    this.#suppose();
    write(`${BEGIN_UPDATE}${up > 0 ? `\u001b[${up}A` : ''}\r${ERASE_BELOW}${END_UPDATE}`);
    this.#show();
  }

  #trust(): void {
    if (this.#lost) this.#takeAwayUnseen();
    else this.#suppose();
  }

  #takeAbove(): string {
    const above = this.#again + this.#above;
    this.#again = '';
    this.#above = '';
    return above;
  }

  /** What we believe is what is known. */
  #suppose(): void {
    this.#known = this.#supposed();
    this.#sent = [];
    this.#lost = false;
    this.#model = null;
  }

  #supposed(): Known {
    const { rows, at } = this.#zone;
    return { rows, at, columns: this.#options.columns() };
  }

  #modelOf({ rows, at, columns }: Known): ZoneModel {
    return new ZoneModel({ rows, at, columns, reflows: this.#options.reflows });
  }
}
