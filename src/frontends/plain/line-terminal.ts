import type { Key } from 'node:readline';
import { createInterface, type Interface } from 'node:readline/promises';
import type { Terminal } from '../shared/terminal.ts';
import { takeKeyboard } from '../shared/typed-ahead.ts';

/** Maximum number of prompts recalled. */
const MOST_TYPED = 1000;
/** Arrow keys start with Esc: how long to wait for the rest of the sequence. */
const LONE_ESCAPE_MS = 100;
/** How long after a line for the prompt another line is part of the same text. */
const PAUSE_MS = 1_000;

/** Lines in, text out, on a terminal or a pipe. After the end of input, every read gives null. */
export class Conversation {
  readonly #terminal: Terminal;
  readonly #lines: Interface;
  #interrupted: () => boolean = () => false;
  #commands: () => readonly string[] = () => [];
  #closed = new AbortController();
  /** Lines typed without a prompt: they are kept for the next prompt, and never answer a question. */
  readonly #typed: string[] = [];
  /** When the last of them ended, and when the line that is being typed began. */
  #keptAt = Number.NEGATIVE_INFINITY;
  #begunAt = 0;
  #isTyping = false;
  /** How the line that answers a question ended: other lines may have followed at once. */
  #ending: { kept: number; continuesText: boolean } | null = null;
  /** The start of a line, typed before there was a prompt. */
  #draft = '';
  #answering = false;
  /** Prompts for the arrow keys, newest first. */
  #prompts: string[];
  /** The search text of Ctrl-R, and the prompt it found last. */
  #search: { words: string; at: number } | null = null;

  /** `prompts` are those of earlier sessions, oldest first. */
  constructor(terminal: Terminal, { prompts = [] }: { prompts?: readonly string[] } = {}) {
    this.#terminal = terminal;
    if (terminal.env.TERM !== 'dumb') this.#takeTypedAhead();
    // The line editor holds a single line.
    this.#prompts = prompts.filter((prompt) => !prompt.includes('\n')).toReversed();
    this.#lines = createInterface({
      input: terminal.stdin,
      output: terminal.stdout,
      terminal: terminal.stdin.isTTY,
      history: [...this.#prompts],
      historySize: this.#prompts.length + MOST_TYPED,
      removeHistoryDuplicates: true,
      escapeCodeTimeout: LONE_ESCAPE_MS,
      completer: (line: string): [string[], string] => [
        this.#answering ? [] : completionsOf(line, this.#commands()),
        line,
      ],
    });
    this.#lines.on('history', (lines: string[]) => this.#recall(lines));
    terminal.stdin.on('keypress', (_text: unknown, key: Key | undefined) => {
      this.#seek(key);
      if (!this.#isTyping) this.#begunAt = performance.now();
      this.#isTyping = this.#lines.line !== '';
      if (key?.name === 'return' || key?.name === 'enter')
        this.#ending ??= {
          kept: this.#typed.length,
          continuesText: this.#begunAt - this.#keptAt < PAUSE_MS,
        };
      if (key?.name === 'escape') this.#interrupted();
    });
    this.#lines.on('line', (line) => {
      // Enter alone is not a prompt; it may follow a single-key answer.
      if (line !== '') this.#keep(line);
    });
    this.#lines.on('close', () => this.#closed.abort());
    this.#lines.on('SIGINT', () => {
      if (!this.#interrupted()) this.#lines.close();
    });
  }

  /**
   * Ctrl-C or Esc: the listener returns whether it interrupted anything; if not, Ctrl-C ends the
   * conversation.
   */
  onInterrupt(listener: () => boolean): void {
    this.#interrupted = listener;
  }

  /** The names that Tab completes at the start of a prompt, without the slash. */
  completeWith(commands: () => readonly string[]): void {
    this.#commands = commands;
  }

  async prompt(): Promise<string | null> {
    const typed = this.#typed.shift();
    if (typed === undefined) {
      const answer = this.#question('> ', this.#untilClosed(undefined));
      if (this.#draft !== '') this.#terminal.stdin.unshift(Buffer.from(this.#draft));
      this.#draft = '';
      return answer;
    }
    // What was typed ahead is complete: a question that follows is another matter.
    if (this.#typed.length === 0) this.#keptAt = Number.NEGATIVE_INFINITY;
    this.print(`> ${typed}`);
    return typed;
  }

  /** Otherwise its echo would appear before everything else, and again after the prompt. */
  #takeTypedAhead(): void {
    const { typed, erase } = takeKeyboard(this.#terminal);
    this.write(erase);
    const lines = typed.split('\r');
    this.#draft = lines.pop() ?? '';
    this.#typed.push(...lines.filter((line) => line !== ''));
  }

  /** The terminal width; undefined for a pipe. */
  get columns(): number | undefined {
    return this.#terminal.stdout.columns;
  }

  /**
   * The answer, or null at the end of input or when the question was cancelled. A line that was begun before, or
   * is not accepted as an answer, is kept for the next prompt. `continuesText`: it began right after another such line, as
   * in a paste.
   */
  async ask(
    question: string,
    signal?: AbortSignal,
    accepts: (line: string, continuesText: boolean) => boolean = (_, continuesText) => !continuesText,
  ): Promise<string | null> {
    const stop = this.#untilClosed(signal);
    this.#answering = true;
    try {
      for (;;) {
        // The next line may have begun meanwhile.
        while (this.#lines.line !== '' && !stop.aborted) await this.#lineEnd(stop);
        this.#ending = null;
        const line = await this.#question(question, stop);
        if (line === null || !this.#lines.terminal) return line;
        const { kept, continuesText } = this.#ending ?? { kept: this.#typed.length, continuesText: false };
        if (accepts(line, continuesText)) return line;
        this.#keep(line, kept);
        this.print('This is not an answer. It is kept for your next prompt.');
      }
    } finally {
      this.#answering = false;
    }
  }

  #keep(line: string, at = this.#typed.length): void {
    this.#typed.splice(at, 0, line);
    this.#keptAt = performance.now();
  }

  /** Until the line that is being typed is sent or cleared. */
  async #lineEnd(stop: AbortSignal): Promise<void> {
    if (stop.aborted) return;
    this.print('\nA question is waiting. Finish your line first: it is kept for your next prompt.');
    this.#lines.prompt(true);
    const { stdin } = this.#terminal;
    await new Promise<void>((resolve) => {
      const onKey = () => {
        if (this.#lines.line !== '' && !stop.aborted) return;
        stdin.off('keypress', onKey);
        stop.removeEventListener('abort', onKey);
        resolve();
      };
      stdin.on('keypress', onKey);
      stop.addEventListener('abort', onKey);
    });
  }

  #untilClosed(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
  }

  async #question(question: string, stop: AbortSignal): Promise<string | null> {
    if (stop.aborted) return null;
    try {
      return await this.#lines.question(question, { signal: stop });
    } catch (error) {
      if (stop.aborted) return null;
      throw error;
    }
  }

  /** The first of these keys to be pressed, without Enter; null at the end of input. */
  async pressKey(keys: readonly string[]): Promise<string | null> {
    const { stdin } = this.#terminal;
    const { signal } = this.#closed;
    if (signal.aborted) return null;
    return new Promise((resolve) => {
      const end = (pressed: string | null) => {
        stdin.off('keypress', onKey);
        signal.removeEventListener('abort', onClose);
        // The line editor has inserted the key into its line.
        if (pressed !== null) this.#lines.write(null, { ctrl: true, name: 'u' });
        resolve(pressed);
      };
      const onClose = () => end(null);
      const onKey = (text: string | undefined) => {
        const pressed = text?.toLowerCase();
        if (pressed !== undefined && keys.includes(pressed)) end(pressed);
      };
      stdin.on('keypress', onKey);
      signal.addEventListener('abort', onClose);
    });
  }

  /** Like `ask`, but without echo. */
  async askHidden(question: string): Promise<string | null> {
    const { stdout } = this.#terminal;
    const show = stdout.write.bind(stdout);
    show(question);
    stdout.write = (() => true) as typeof stdout.write;
    try {
      return await this.ask('');
    } finally {
      stdout.write = show;
      show('\n');
    }
  }

  write(text: string): void {
    if (text !== '') this.#terminal.stdout.write(text);
  }

  print(text: string): void {
    this.write(`${text}\n`);
  }

  close(): void {
    this.#lines.close();
  }

  /** Stops reading and discards what was typed already. */
  quit(): void {
    this.#typed.length = 0;
    this.close();
  }

  /**
   * Answers, especially pasted keys, are not prompts: they are removed from the history of the arrow keys.
   */
  #recall(lines: string[]): void {
    if (this.#answering) lines.splice(0, lines.length, ...this.#prompts);
    else this.#prompts = [...lines];
  }

  /**
   * Ctrl-R: the last prompt that contains the search text; again, the one before it. Any other key ends the
   * search.
   */
  #seek(key: Key | undefined): void {
    if (!key?.ctrl || key.name !== 'r' || this.#answering) {
      this.#search = null;
      return;
    }
    const { words, at } = this.#search ?? { words: this.#lines.line, at: -1 };
    const wanted = words.toLowerCase();
    const found = this.#prompts.findIndex((prompt, i) => i > at && prompt.toLowerCase().includes(wanted));
    if (found === -1) return;
    this.#search = { words, at: found };
    this.#lines.write(null, { ctrl: true, name: 'e' });
    this.#lines.write(null, { ctrl: true, name: 'u' });
    this.#lines.write(this.#prompts[found] ?? '');
  }
}

/** Commands with this prefix; if there are none, those that contain its letters in order. */
export function completionsOf(line: string, commands: readonly string[]): string[] {
  if (!/^\/[\w.:-]*$/.test(line)) return [];
  const typed = line.slice(1).toLowerCase();
  const names = commands.map((name) => name.toLowerCase());
  const exact = names.filter((name) => name.startsWith(typed));
  const loose = new RegExp([...typed].map((letter) => letter.replace(/\W/, '\\$&')).join('.*'));
  return (exact.length > 0 ? exact : names.filter((name) => loose.test(name)))
    .sort()
    .map((name) => `/${name}`);
}
