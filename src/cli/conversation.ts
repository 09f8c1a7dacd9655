import { createInterface, type Interface } from 'node:readline/promises';
import type { Terminal } from './terminal.ts';

/** Lines in, text out, on a terminal or a pipe. End of input reads as null from then on. */
export class Conversation {
  readonly #terminal: Terminal;
  readonly #lines: Interface;
  #interrupted: () => boolean = () => false;
  #closed = new AbortController();
  /** Lines typed while nothing was asked: they wait for the next prompt, and never answer a question. */
  readonly #typed: string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#lines = createInterface({
      input: terminal.stdin,
      output: terminal.stdout,
      terminal: terminal.stdin.isTTY,
    });
    this.#lines.on('line', (line) => this.#typed.push(line));
    this.#lines.on('close', () => this.#closed.abort());
    this.#lines.on('SIGINT', () => {
      if (!this.#interrupted()) this.#lines.close();
    });
  }

  /** Ctrl-C: the listener says whether it had anything to interrupt; if not, the conversation ends. */
  onInterrupt(listener: () => boolean): void {
    this.#interrupted = listener;
  }

  async prompt(): Promise<string | null> {
    const typed = this.#typed.shift();
    if (typed === undefined) return this.ask('> ');
    this.print(`> ${typed}`);
    return typed;
  }

  /** The answer, or null when the input has ended or the question was called off. */
  async ask(question: string, signal?: AbortSignal): Promise<string | null> {
    const stop = signal ? AbortSignal.any([signal, this.#closed.signal]) : this.#closed.signal;
    if (stop.aborted) return null;
    try {
      return await this.#lines.question(question, { signal: stop });
    } catch (error) {
      if (stop.aborted) return null;
      throw error;
    }
  }

  /** As `ask`, but what is typed does not appear. */
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
}
