import type { Access } from '../contract/permission.ts';
import { accessesConflict } from './conflict.ts';

type Call = { title: string; touches: readonly Access[]; ended: Promise<void> };

/** Interrupted calls that have not ended yet. Conflicting calls must wait for them. */
export class InterruptedCalls {
  readonly #calls = new Set<Call>();

  add({ title, touches }: Omit<Call, 'ended'>, running: Promise<unknown>): void {
    const forget = () => void this.#calls.delete(call);
    const call: Call = { title, touches, ended: running.then(forget, forget) };
    this.#calls.add(call);
  }

  /** The calls that must end before a call with these accesses may run. */
  before(touches: readonly Access[]): readonly Pick<Call, 'title' | 'ended'>[] {
    return [...this.#calls].filter((call) => accessesConflict(call.touches, touches));
  }

  /** Resolves when all have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#calls].map((call) => call.ended));
  }
}
