import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { UpdateMeta } from '../server-methods.ts';
import type { EventLog } from './event-log.ts';

export type Delivery = { update: SessionUpdate; meta: UpdateMeta; from?: string | undefined };

export type WatchOptions = {
  log: EventLog;
  /** Resolves when the client can take more. */
  send(delivery: Delivery): Promise<void>;
  /** The client is so far behind that updates it has not seen were dropped. */
  onBehind(): void;
};

/**
 * One client's way through the updates of a session. It holds a position only, so that a slow client costs no memory
 * and does not slow down anyone else.
 */
export class Watch {
  readonly #options: WatchOptions;
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Sends what is given first, then everything after the position as it comes. Resolves when the first part is sent. */
  async start(first: readonly Delivery[], seq: number): Promise<void> {
    const { log, send } = this.#options;
    const off = log.listen(() => this.#wake());
    try {
      for (const delivery of first) if (!this.#ended) await send(delivery);
    } catch {
      // The connection is closed.
      this.#ended = true;
    }
    void this.#follow(seq).finally(off);
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async #follow(start: number): Promise<void> {
    const { log, send, onBehind } = this.#options;
    for (let seq = start; !this.#ended; ) {
      if (!log.knows({ epoch: log.epoch, seq })) {
        this.#ended = true;
        onBehind();
        return;
      }
      const next = log.after(seq);
      if (next) {
        await send(next).catch(() => this.end());
        seq = next.seq;
      } else
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
    }
  }
}
