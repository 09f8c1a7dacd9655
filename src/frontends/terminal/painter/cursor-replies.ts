/** Where the cursor stands, counted from 1. */
export type CursorPlace = { row: number; column: number };

/** A terminal that has not answered in this time is not waited for any longer. */
const LIMIT_MS = 1_000;

const ASK = '\u001b[6n';
const REPLY = /\[(\d+);(\d+)R$/;

type Listener = (place: CursorPlace) => void;

/**
 * Questions after the cursor's place. A terminal answers in the order in which it reads, so an answer also says that
 * all before the question was dealt with. One that keeps silent is asked no more until it has made up for everything
 * it owes: answers cannot be told apart but by counting them.
 */
export class CursorReplies {
  readonly #limitMs: number;
  readonly #onSilent: () => void;
  #awaited: Listener[] = [];
  #settled: (() => void)[] = [];
  #owed = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onSilent: () => void, limitMs = LIMIT_MS) {
    this.#onSilent = onSilent;
    this.#limitMs = limitMs;
  }

  get silent(): boolean {
    return this.#owed > 0;
  }

  get awaiting(): boolean {
    return this.#awaited.length > 0;
  }

  /** What to write; the answer goes to the listener. */
  ask(listener: Listener): string {
    this.#awaited.push(listener);
    if (this.#awaited.length === 1) this.#watch();
    return ASK;
  }

  take(reply: string): void {
    const [, row, column] = REPLY.exec(reply) ?? [];
    if (row === undefined || column === undefined) return;
    if (this.#owed > 0) {
      this.#owed--;
      return;
    }
    const listener = this.#awaited.shift();
    this.#watch();
    listener?.({ row: Number(row), column: Number(column) });
    if (!this.awaiting) this.#settle();
  }

  /** When nothing is awaited: an answer that came later would be read by the next program. */
  settled(): Promise<void> {
    return this.awaiting ? new Promise((resolve) => this.#settled.push(resolve)) : Promise.resolve();
  }

  /** The answers under way will be counted, and nothing else. */
  forget(): void {
    this.#owed += this.#awaited.length;
    this.#awaited = [];
    clearTimeout(this.#timer);
    this.#settle();
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (!this.awaiting) return;
    this.#timer = setTimeout(() => {
      this.forget();
      this.#onSilent();
    }, this.#limitMs);
    this.#timer.unref();
  }

  #settle(): void {
    for (const resolve of this.#settled.splice(0)) resolve();
  }
}
