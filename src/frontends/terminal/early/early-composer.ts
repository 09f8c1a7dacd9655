import process from 'node:process';
import type { EarlyPrompt, Handover } from '../../shared/terminal.ts';
import { takeKeyboard } from '../../shared/typed-ahead.ts';
import type { Look } from '../theme/look.ts';
import { type EarlyLine, readEarly } from './early-line.ts';
import { type EarlyFrame, earlyFrame, earlyWidth } from './early-rows.ts';
import { ruleOf, type StartFacts } from './start-rows.ts';

type Streams = { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream };

const BEGIN_UPDATE = '\u001b[?2026h\u001b[?25l';
const END_UPDATE = '\u001b[?25h\u001b[?2026l';
const PASTES = '\u001b[?2004h';
const NO_PASTES = '\u001b[?2004l';
const ERASE_LINE_END = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * A prompt that accepts keys while the program is still loading. It shows the effect of simple keys, and
 * stores all of them: the screen processes them again later.
 */
export class EarlyComposer implements EarlyPrompt {
  readonly #streams: Streams;
  readonly #look: Look;
  readonly #start: StartFacts;
  readonly #columns: number;
  readonly #lines: number;
  #typed: string;
  #line: EarlyLine;
  #frame: EarlyFrame = { rows: [''], caret: { row: 0, column: 0 } };
  #open = true;

  constructor(streams: Streams, look: Look, start: StartFacts) {
    const { stdin, stdout } = streams;
    this.#streams = streams;
    this.#look = look;
    this.#start = start;
    this.#columns = stdout.columns;
    this.#lines = stdout.rows;
    process.on('exit', this.#giveBack);
    process.on('uncaughtExceptionMonitor', this.#giveBack);
    for (const signal of SIGNALS) process.on(signal, this.#ended);
    stdin.on('error', this.#gone);
    stdin.on('end', this.#gone);
    const { typed, erase } = takeKeyboard(streams);
    this.#typed = typed;
    this.#line = readEarly(typed, earlyWidth(this.#columns));
    stdin.setEncoding('utf8');
    stdin.on('data', this.#read);
    this.#show(erase + PASTES);
  }

  /** The terminal's background at the last start. */
  get ground(): Look['ground'] {
    return this.#look.ground;
  }

  /** Yields, so that pending keys are read. */
  breathe(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /**
   * Ends this prompt and leaves the terminal as it is. The caller must continue reading immediately, or keys
   * are lost.
   */
  takeOver(): Handover | null {
    if (!this.#open) return null;
    this.#close();
    return { ...this.#frame, typed: this.#typed, moved: this.#moved };
  }

  /** For when the screen is not opened: restores the terminal and discards the input. */
  readonly dismiss = (): void => {
    if (!this.#open) return;
    this.#close();
    const { stdin, stdout } = this.#streams;
    const up = this.#frame.caret.row;
    // Not from the very top: some terminals would keep what is erased there.
    const erase = `${ERASE_LINE_END}\u001b[1B${ERASE_BELOW}\u001b[1A`;
    stdout.write(`${up > 0 ? `\u001b[${up}A` : ''}\r${erase}${NO_PASTES}${END_UPDATE}`);
    stdin.pause();
    stdin.setRawMode(false);
  };

  get #moved(): boolean {
    const { columns, rows } = this.#streams.stdout;
    return columns !== this.#columns || rows !== this.#lines;
  }

  readonly #giveBack = (): void => this.dismiss();

  readonly #read = (chunk: string | Buffer): void => {
    this.#typed += String(chunk);
    this.#line = readEarly(this.#typed, earlyWidth(this.#columns));
    this.#show();
  };

  #show(first = ''): void {
    if (this.#line.state === 'left') this.#leave();
    else this.#paint(first);
  }

  /**
   * Repaints all rows: they are few. After a resize the main painter takes over, which locates its rows
   * again.
   */
  #paint(first = ''): void {
    if (this.#moved) return;
    const place = { columns: this.#columns, lines: this.#lines, start: this.#start };
    const { rows, caret } = earlyFrame(this.#line, this.#look, place);
    const up = this.#frame.caret.row;
    const painted = rows.map((row, i) => row + this.#eraseAfter(row, i)).join('\r\n');
    const down = rows.length - 1 - caret.row;
    this.#streams.stdout.write(
      `${first}${BEGIN_UPDATE}${up > 0 ? `\u001b[${up}A` : ''}\r${painted}${
        down > 0 ? `\u001b[${down}A` : ''
      }\r\u001b[${caret.column}C${END_UPDATE}`,
    );
    this.#frame = { rows, caret };
  }

  /** The last output of another program may be where the rows start. */
  #eraseAfter(row: string, index: number): string {
    const isOthers = index === 0 && row === '';
    // After a full row the cursor is still on its last character.
    const isFull = row.includes(ruleOf(this.#columns));
    return this.#typed === '' || isOthers || isFull ? '' : ERASE_LINE_END;
  }

  #close(): void {
    this.#open = false;
    const { stdin } = this.#streams;
    stdin.off('data', this.#read);
    stdin.off('end', this.#gone);
    process.off('exit', this.#giveBack);
    process.off('uncaughtExceptionMonitor', this.#giveBack);
    for (const signal of SIGNALS) process.off(signal, this.#ended);
  }

  #leave(): void {
    this.dismiss();
    process.exit(0);
  }

  /** With its own listener removed, a signal has its default effect. */
  readonly #ended = (signal: NodeJS.Signals): void => {
    this.dismiss();
    process.kill(process.pid, signal);
  };

  /** No more input, and no terminal. Later input errors are reported to later readers. */
  readonly #gone = (): void => {
    if (!this.#open) return;
    this.#close();
    process.exit(0);
  };
}
