import type { Message, ToolMessage } from '../contract/message.ts';

const MOST = 500;

/** The session's last answers by call id, so that a call sent twice is answered rather than run twice. */
export class Answers {
  readonly #byId = new Map<string, ToolMessage>();

  #hasHistory = false;

  constructor(history?: readonly Message[]) {
    if (history) this.learn(history);
  }

  /** Imports the answers of a history on the first call. */
  learn(history: readonly Message[]): void {
    if (this.#hasHistory) return;
    this.#hasHistory = true;
    for (const message of history) if (message.role === 'tool') this.add(message);
  }

  get(callId: string): ToolMessage | undefined {
    return this.#byId.get(callId);
  }

  add(message: ToolMessage): void {
    this.#byId.set(message.callId, message);
    if (this.#byId.size <= MOST) return;
    const [oldest] = this.#byId.keys();
    if (oldest !== undefined) this.#byId.delete(oldest);
  }
}
