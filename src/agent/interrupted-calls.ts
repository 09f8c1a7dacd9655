import type { Access } from '../contract/permission.ts';
import { accessesConflict } from './conflict.ts';

type Call = { title: string; touches: readonly Access[]; ended: Promise<void> };

/** Calls that were interrupted and have not ended yet: what they touch stays theirs until they have. */
export class InterruptedCalls {
  readonly #calls = new Set<Call>();

  add({ title, touches }: Omit<Call, 'ended'>, running: Promise<unknown>): void {
    const forget = () => void this.#calls.delete(call);
    const call: Call = { title, touches, ended: running.then(forget, forget) };
    this.#calls.add(call);
  }

  /** Those that must have ended before a call that touches these may run. */
  before(touches: readonly Access[]): readonly Pick<Call, 'title' | 'ended'>[] {
    return [...this.#calls].filter((call) => accessesConflict(call.touches, touches));
  }

  /** Resolves when all have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#calls].map((call) => call.ended));
  }
}
