import { afterListening } from '../../../lib/async/listening-time.ts';

/** The cursor position, counted from 1. */
export type CursorPlace = { row: number; column: number };

/** After this time, a missing reply is no longer waited for. */
const LIMIT_MS = 1_000;
/** A terminal that has answered before is only slow. */
const SLOW_LIMIT_MS = 10_000;

const ASK = '\u001b[6n';
const REPLY = /\[(\d+);(\d+)R$/;

type Listener = (place: CursorPlace) => void;

/**
 * Cursor position queries. A terminal answers in the order in which it reads, so a reply also means that
 * everything before the query was processed. One that does not answer is not queried again until it has
 * caught up: replies can be distinguished only by counting them.
 */
export class CursorReplies {
  readonly #limitMs: number;
  readonly #onSilent: () => void;
  #awaited: Listener[] = [];
  #settled: (() => void)[] = [];
  #owed = 0;
  #answers = false;
  #stopWaiting: (() => void) | undefined;

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

  /** Returns what to write; the reply is passed to the listener. */
  ask(listener: Listener): string {
    this.#awaited.push(listener);
    if (this.#awaited.length === 1) this.#watch();
    return ASK;
  }

  take(reply: string): void {
    const [, row, column] = REPLY.exec(reply) ?? [];
    if (row === undefined || column === undefined) return;
    this.#answers = true;
    if (this.#owed > 0) {
      this.#owed--;
      return;
    }
    const listener = this.#awaited.shift();
    this.#watch();
    listener?.({ row: Number(row), column: Number(column) });
    if (!this.awaiting) this.#settle();
  }

  /** Resolves when no reply is outstanding: a later one would be read by the next program. */
  settled(): Promise<void> {
    this.#answers = false;
    this.#watch();
    return this.awaiting ? new Promise((resolve) => this.#settled.push(resolve)) : Promise.resolve();
  }

  /** Outstanding replies are counted and otherwise ignored. */
  forget(): void {
    this.#owed += this.#awaited.length;
    this.#awaited = [];
    this.#stopWaiting?.();
    this.#settle();
  }

  #watch(): void {
    this.#stopWaiting?.();
    if (!this.awaiting) return;
    this.#stopWaiting = afterListening(this.#answers ? SLOW_LIMIT_MS : this.#limitMs, () => {
      this.forget();
      this.#answers = false;
      this.#onSilent();
    });
  }

  #settle(): void {
    for (const resolve of this.#settled.splice(0)) resolve();
  }
}
