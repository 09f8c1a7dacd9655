import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Position, SessionTurnEvent, UpdateMeta } from '../server-methods.ts';

export type LoggedUpdate = {
  seq: number;
  update: SessionUpdate;
  meta: UpdateMeta;
  /** The id of the participant who caused it. */
  from?: string | undefined;
  bytes: number;
};

const MOST_BYTES = 4_000_000;

/** Of these only the latest counts, and the saved conversation does not contain them. */
const STATES = new Set<SessionUpdate['sessionUpdate'] | SessionTurnEvent['type']>([
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
  'plan',
  'prompts_waiting',
  'session_info_update',
  'usage_update',
]);

/**
 * The updates of a session, numbered, for clients that were cut off. Memory is limited: of what is older, only what
 * the saved conversation does not contain is kept.
 */
export class EventLog {
  readonly epoch: string;
  readonly #mostBytes: number;
  /** All that come after `#floor`, without gaps. */
  #recent: LoggedUpdate[] = [];
  /** What is left of the others, for clients that start from the saved conversation. */
  #older: LoggedUpdate[] = [];
  readonly #states = new Map<string, LoggedUpdate>();
  #floor = 0;
  #bytes = 0;
  #saved = 0;
  readonly #listeners = new Set<() => void>();

  constructor(epoch: string, mostBytes = MOST_BYTES) {
    this.epoch = epoch;
    this.#mostBytes = mostBytes;
  }

  /** The position after the newest update. */
  get position(): Position {
    return { epoch: this.epoch, seq: this.#floor + this.#recent.length };
  }

  append(update: SessionUpdate, about: Omit<UpdateMeta, 'seq'> = {}, from?: string): void {
    const seq = this.position.seq + 1;
    const bytes = JSON.stringify(update).length;
    const logged = { seq, update, meta: { ...about, seq, at: Date.now() }, from, bytes };
    this.#recent.push(logged);
    const state = about.event?.type ?? update.sessionUpdate;
    if (STATES.has(state)) this.#states.set(state, logged);
    this.#bytes += bytes;
    if (this.#bytes > this.#mostBytes) this.#forget();
    for (const listener of [...this.#listeners]) listener();
  }

  /** The saved conversation contains everything so far. */
  saved(): void {
    this.#saved = this.position.seq;
  }

  /** What the saved conversation does not contain. */
  unsaved(): LoggedUpdate[] {
    const states = [...this.#states.values()].filter(({ seq }) => seq <= this.#saved);
    const others = [...this.#older, ...this.#recent].filter(({ seq }) => seq > this.#saved);
    return [...states.sort((a, b) => a.seq - b.seq), ...others];
  }

  /** Whether everything after this position is known. */
  knows({ epoch, seq }: Position): boolean {
    return epoch === this.epoch && seq >= this.#floor && seq <= this.position.seq;
  }

  /** The update after this one; undefined if it was the newest. */
  after(seq: number): LoggedUpdate | undefined {
    return this.#recent[seq - this.#floor];
  }

  /** Called after each update. Returns a function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Keeps the newer half, and of the older half the latest state of what is not saved. */
  #forget(): void {
    let left = this.#bytes;
    let count = 0;
    while (count < this.#recent.length - 1 && left > this.#mostBytes / 2) {
      left -= this.#recent[count]?.bytes ?? 0;
      count++;
    }
    const old = [...this.#older, ...this.#recent.splice(0, count)].filter(({ seq }) => seq > this.#saved);
    this.#floor += count;
    const later = new Set<string>();
    this.#older = old
      .reverse()
      .filter(({ update }) => {
        if (update.sessionUpdate !== 'tool_call_update' || !update.content || update.status) return true;
        const isLatest = !later.has(update.toolCallId);
        later.add(update.toolCallId);
        return isLatest;
      })
      .reverse();
    let kept = sum(this.#older);
    while (kept > this.#mostBytes / 2) kept -= this.#older.shift()?.bytes ?? 0;
    this.#bytes = kept + sum(this.#recent);
  }
}

function sum(updates: readonly LoggedUpdate[]): number {
  return updates.reduce((total, { bytes }) => total + bytes, 0);
}
