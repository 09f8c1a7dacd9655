import { KeyReader } from './keys.ts';
import { Painter } from './painter.ts';
import { TerminalModes } from './terminal-modes.ts';
import type { Key } from './types.ts';
import type { KeySource } from './use-keys.ts';

export type TerminalStreams = { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream };

export type HeldOptions = TerminalStreams & {
  env: Readonly<Record<string, string | undefined>>;
  title: string;
  /** Told of every press before anybody else; true keeps it. */
  onKey(key: Key): boolean;
  /** Whether it is the prompt that begins to listen. */
  promptListens(): boolean;
};

/** The terminal while it is ours: keyboard, modes and the rows at its end. It is given back however the program ends. */
export class HeldTerminal implements KeySource {
  readonly painter: Painter;
  readonly #stdout: NodeJS.WriteStream;
  readonly #reader: KeyReader;
  readonly #modes: TerminalModes;
  readonly #onKey: (key: Key) => boolean;
  readonly #promptListens: () => boolean;
  readonly #replies = new Set<(reply: string) => void>();
  /** Pressed for the prompt while a dialog came up. */
  readonly #kept: Key[] = [];
  readonly #giveBack = () => this.release();
  #focused = true;

  constructor({ stdin, stdout, env, title, onKey, promptListens }: HeldOptions) {
    this.#stdout = stdout;
    this.#onKey = onKey;
    this.#promptListens = promptListens;
    this.#reader = new KeyReader(stdin);
    this.#modes = new TerminalModes((text) => this.write(text), title);
    this.painter = new Painter({
      write: (text) => this.write(text),
      columns: () => this.columns,
      rows: () => this.rows,
      // The original xterm says so of itself, and leaves long lines cut off.
      reflows: env.XTERM_VERSION === undefined,
    });
  }

  get columns(): number {
    return this.#stdout.columns || 80;
  }

  get rows(): number {
    return this.#stdout.rows || 24;
  }

  /** Whether somebody looks at it, as far as it tells. */
  get focused(): boolean {
    return this.#focused;
  }

  write(text: string): void {
    if (this.#stdout.writable) this.#stdout.write(text);
  }

  hold(): void {
    process.on('exit', this.#giveBack);
    process.on('uncaughtExceptionMonitor', this.#giveBack);
    this.#reader.open();
    this.#modes.enter();
  }

  release(): void {
    process.off('exit', this.#giveBack);
    process.off('uncaughtExceptionMonitor', this.#giveBack);
    this.painter.pause();
    this.#modes.leave();
    this.#reader.close();
  }

  resume(): void {
    this.hold();
    this.painter.resume();
  }

  /** Keeps a press that was meant for the prompt until that listens again. */
  keep(key: Key): void {
    this.#kept.push(key);
  }

  listen(listener: (key: Key) => void): () => void {
    const take = (key: Key) => {
      if (!this.#tap(key)) listener(key);
    };
    if (this.#promptListens()) {
      const kept = this.#kept.splice(0);
      queueMicrotask(() => kept.forEach(listener));
    }
    return this.#reader.listen(take);
  }

  onReply(listener: (reply: string) => void): () => void {
    this.#replies.add(listener);
    return () => this.#replies.delete(listener);
  }

  #tap(key: Key): boolean {
    if (key.type === 'focus') this.#focused = key.focused;
    if (key.type === 'reply') {
      if (KEYBOARD_REPLY.test(key.text)) this.#modes.keyboardKnown();
      for (const listener of [...this.#replies]) listener(key.text);
    }
    return key.type === 'focus' || key.type === 'reply' || this.#onKey(key);
  }
}

const KEYBOARD_REPLY = /\[\?\d+u$/;
