import type { Handover, Terminal } from '../../shared/terminal.ts';
import { takeKeyboard } from '../../shared/typed-ahead.ts';
import { KeyReader } from '../keyboard/keys.ts';
import type { Key } from '../view/types.ts';
import { Painter } from './painter.ts';
import { TerminalModes } from './terminal-modes.ts';

export type TerminalStreams = Pick<Terminal, 'stdin' | 'stdout' | 'remote'>;

export type HeldOptions = TerminalStreams & {
  env: Readonly<Record<string, string | undefined>>;
  title: string;
  /** Ends the previous owner of the terminal. Null when there was none. */
  takeOver?(): Handover | null;
  /** Called for every key press; not for terminal reports. */
  onKey(key: Key): void;
};

/** Owns the terminal: keyboard, modes and the rows at its end. It is restored however the program ends. */
export class HeldTerminal {
  readonly painter: Painter;
  readonly #isRemote: boolean;
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #reader: KeyReader;
  readonly #modes: TerminalModes;
  readonly #onKey: (key: Key) => void;
  readonly #takeOver: () => Handover | null;
  readonly #replies = new Set<(reply: string) => void>();
  readonly #giveBack = () => this.release();
  /** Null until the terminal reports it. */
  #focused: boolean | null = null;
  #keyAt = performance.now();
  #asleep: NodeJS.Timeout | undefined;
  #isAlternate = false;

  constructor({ stdin, stdout, remote, env, title, takeOver, onKey }: HeldOptions) {
    this.#isRemote = remote !== undefined;
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#takeOver = takeOver ?? (() => null);
    this.#onKey = onKey;
    this.#reader = new KeyReader(stdin, (key) => this.#take(key));
    this.#modes = new TerminalModes((text) => this.write(text), title);
    this.painter = new Painter({
      write: (text) => this.write(text),
      columns: () => this.columns,
      rows: () => this.rows,
      reflows: breaksAnew(env),
      asks: stdin.isTTY === true,
    });
  }

  get columns(): number {
    return this.#stdout.columns || 80;
  }

  get rows(): number {
    return this.#stdout.rows || 24;
  }

  /**
   * Whether the user looks at something else. A terminal that does not report its focus counts as left after
   * this time without a key press.
   */
  isAway(afterMs: number): boolean {
    return this.#focused === null ? performance.now() - this.#keyAt >= afterMs : !this.#focused;
  }

  write(text: string): void {
    if (this.#stdout.writable) this.#stdout.write(text);
  }

  setTitle(title: string): void {
    this.#modes.setTitle(title);
  }

  /** Whether keys that are let go are reported, in terminals that can. */
  reportReleases(reports: boolean): void {
    this.#modes.reportReleases(reports);
  }

  /** Returns the keys pressed before. */
  hold(): Key[] {
    if (!this.#isRemote) {
      process.on('exit', this.#giveBack);
      process.on('uncaughtExceptionMonitor', this.#giveBack);
    }
    const before = this.#takeOver();
    const ahead = before ? null : takeKeyboard({ stdin: this.#stdin, stdout: this.#stdout });
    if (ahead?.erase) this.write(ahead.erase);
    const pressed = this.#reader.open(before?.typed ?? ahead?.typed);
    this.#modes.enter();
    if (before) this.painter.takeOver(before);
    if (before?.moved) this.painter.resized();
    return pressed;
  }

  /** Call before `release`, if there is time: no reply is left for the next program. */
  settle(): Promise<void> {
    return this.painter.settle();
  }

  /** Shows the alternate screen; what is on the other one stays as it is. Call `settle` first. */
  enterAlternate(): void {
    this.painter.pause();
    this.#isAlternate = true;
    this.write(`\u001b[?1049h${HIDE_CURSOR}`);
  }

  leaveAlternate(): void {
    if (!this.#isAlternate) return;
    this.#isAlternate = false;
    this.write(`${SHOW_CURSOR}\u001b[?1049l`);
    this.painter.resume();
  }

  release(): void {
    this.leaveAlternate();
    process.off('exit', this.#giveBack);
    process.off('uncaughtExceptionMonitor', this.#giveBack);
    this.painter.pause();
    this.#modes.leave();
    this.#reader.close();
  }

  /** Releases it while the process is suspended; followed by `resume`. */
  sleep(): void {
    // With nothing to read, the process would exit.
    this.#asleep = setInterval(() => undefined, 60_000);
    this.release();
    process.kill(process.pid, 'SIGTSTP');
  }

  /** Delivers key presses as if they arrived now. */
  deliver(keys: readonly Key[]): void {
    for (const key of keys) this.#take(key);
  }

  resume(): void {
    clearInterval(this.#asleep);
    const pressed = this.hold();
    this.painter.resume();
    this.deliver(pressed);
  }

  onReply(listener: (reply: string) => void): () => void {
    this.#replies.add(listener);
    return () => this.#replies.delete(listener);
  }

  #take(key: Key): void {
    switch (key.type) {
      case 'focus':
        this.#focused = key.focused;
        return;
      case 'reply':
        if (KEYBOARD_REPLY.test(key.text)) this.#modes.keyboardKnown();
        this.painter.replied(key.text);
        for (const listener of [...this.#replies]) listener(key.text);
        return;
      default:
        this.#keyAt = performance.now();
        this.#onKey(key);
    }
  }
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';

/** Most terminals reflow long lines when they become narrower; these are known to truncate them. */
function breaksAnew({ XTERM_VERSION, STY, TERM = '' }: HeldOptions['env']): boolean {
  return XTERM_VERSION === undefined && STY === undefined && !/^(linux|st)(-|$)/.test(TERM);
}

const KEYBOARD_REPLY = /\[\?\d+u$/;
