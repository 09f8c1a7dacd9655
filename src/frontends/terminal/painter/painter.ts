import { CursorReplies } from './cursor-replies.ts';
import { Zone } from './zone.ts';
import { type Place, ZoneModel } from './zone-model.ts';

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';
const ERASE_BELOW = '\u001b[J';
const ERASE_LINE_END = '\u001b[K';
const TO_THE_EDGE = '\u001b[9999C';

/** Output that the terminal has not confirmed yet, in characters; with more, it is slower than we are. */
const BEHIND = 1_000;

export type PainterOptions = {
  write(text: string): void;
  columns(): number;
  rows(): number;
  /** Whether the terminal reflows long lines when its width changes. */
  reflows: boolean;
  /** Whether replies are delivered through `replied`. */
  asks?: boolean;
  /** How long to wait for them. Default: one second. */
  patienceMs?: number;
};

/** The confirmed screen content: what the terminal has read, at this width. */
type Known = { rows: readonly string[]; at: Place; columns: number };

/** `stays`: finished text that is part of the zone as it was, at the width we know. */
type Sent = { text: string; above: string; stays: boolean; rows: readonly string[]; at: Place };

/**
 * Keeps a few rows at the end of the output up to date, and lets finished text scroll above them into the
 * scrollback. Only changed rows are written, each change in a single write; nothing above the zone is ever
 * touched again.
 *
 * A terminal may change its width at any moment. It reflows its rows, then reads what was still written for
 * the old width, and only later are we notified. So each write ends with a cursor query at the right edge of
 * the screen; the reply shows at which width it was read. If the width has changed, a model of the zone
 * (`ZoneModel`) computes the effect; the zone is erased, together with finished text that went to a wrong
 * place, and all of it is painted again. Erasing moves up by as many rows as there are at any width, queries,
 * and continues from there: whatever happens meanwhile, it never reaches above the zone. Finished text that
 * could not be erased again, because the screen is too small, is written only after the zone was erased.
 *
 * Not handled: rows that the terminal itself pushes into the scrollback, because the zone is taller than the
 * screen has become; and a resize in the middle of one write. A terminal that does not answer is assumed to
 * have read everything at the known size.
 */
export class Painter {
  readonly #options: PainterOptions;
  readonly #zone: Zone;
  readonly #replies: CursorReplies;
  /** The last requested frame; null while one for another size is awaited. */
  #frame: string | null = null;
  #above = '';
  #known: Known;
  #sent: Sent[] = [];
  /** The zone must be erased before anything else. */
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

  /** Whether the terminal still has much to read: frames sent now would only make it later. */
  get behind(): boolean {
    return this.#sent.reduce((all, { text }) => all + text.length, 0) > BEHIND;
  }

  /** Called each time the terminal has read what was sent. */
  onCaughtUp: () => void = () => undefined;

  /** Adds complete lines, which go into the scrollback with the next frame. */
  above(text: string): void {
    this.#above += text.endsWith('\n') ? text : `${text}\n`;
  }

  paint(frame: string): void {
    if (this.#paused) return;
    this.#frame = frame;
    this.#goOn();
  }

  /** The terminal was resized: its rows have moved, so the zone is erased until the next frame. */
  resized(): void {
    if (this.#paused) return;
    this.#frame = null;
    this.#lost = true;
    this.#goOn();
  }

  /** Takes over rows painted by another component, with the cursor at their caret. */
  takeOver({ rows, caret }: { rows: readonly string[]; caret: Place }): void {
    this.#zone.takeOver(rows, caret);
    this.#suppose();
  }

  /** Handles the terminal's reply to a query. */
  replied(reply: string): void {
    this.#replies.take(reply);
  }

  /**
   * Sends no more queries until `resume`; resolves when no reply is outstanding that another program would
   * read.
   */
  settle(): Promise<void> {
    this.#settling = true;
    return this.#replies.settled();
  }

  /** Erases the zone and releases the terminal, until `resume`. Call `settle` first if there is time. */
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
    const stays = above !== '' && !this.#zone.isEmpty && this.#known.columns === this.#options.columns();
    const text = this.#zone.paint(this.#frame, { above, mayStay: stays, question: () => this.#question() });
    this.#above = '';
    if (text === '') return;
    const { rows, at } = this.#zone;
    this.#sent.push({ text, above, stays, rows, at });
    if (!this.#asks) this.#suppose();
    this.#options.write(`${BEGIN_UPDATE}${text}${END_UPDATE}`);
  }

  #question(): string {
    return this.#asks ? this.#replies.ask(({ column }) => this.#wasRead(column)) : '';
  }

  /** Whether everything written but not yet confirmed, including this write, could still be erased. */
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
    if (!this.behind) this.onCaughtUp();
  }

  #follow(sent: Sent, columns: number): void {
    const { text, above, rows, at } = sent;
    if (!this.#model && columns !== this.#known.columns) {
      const model = this.#modelOf(this.#known);
      model.resize(columns);
      // Finished text in place of rows that were cut off or have moved is written again.
      if (model.above !== this.#known.at.row || [sent, ...this.#sent].some(({ stays }) => stays))
        this.#model = model;
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

  /** Moves up as far as is safe at any width, repeatedly until the zone is gone. */
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
    if (!this.behind) this.onCaughtUp();
  }

  /** For a terminal that does not answer: assumes that it has read everything, at the known size. */
  #takeAwayUnseen(): void {
    const { reflows, rows, write } = this.#options;
    const over = reflows ? this.#zone.rowsAboveCursor() : this.#zone.at.row;
    const up = Math.min(over, rows() - 1);
    this.#zone.forget();
    this.#suppose();
    write(`${BEGIN_UPDATE}${up > 0 ? `\u001b[${up}A` : ''}\r${ERASE_BELOW}${END_UPDATE}`);
    this.#show();
    this.onCaughtUp();
  }

  #trust(): void {
    if (this.#lost) {
      this.#takeAwayUnseen();
      return;
    }
    this.#suppose();
    this.onCaughtUp();
  }

  #takeAbove(): string {
    const above = this.#again + this.#above;
    this.#again = '';
    this.#above = '';
    return above;
  }

  /** Treats our assumptions as confirmed. */
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
