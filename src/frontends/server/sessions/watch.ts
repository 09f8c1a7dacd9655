import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { UpdateMeta } from '../server-methods.ts';
import type { EventLog } from './event-log.ts';

export type Delivery = { update: SessionUpdate; meta: UpdateMeta; from?: string | undefined };

export type WatchOptions = {
  log: EventLog;
  /** Resolves when the client can take more. */
  send(delivery: Delivery): Promise<void>;
  /** How a conversation is sent that is sent as a whole, if differently. */
  sendMany?(deliveries: readonly Delivery[]): Promise<void>;
  /** What to send after a rewind instead of its event: the conversation as it is then. */
  again?(): Promise<Start>;
  /** The client is so far behind that updates it has not seen were dropped. */
  onBehind(): void;
};

/** What is sent first, and the position from which a client follows. */
export type Start = { first: readonly Delivery[]; seq: number };

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
  async start({ first, seq }: Start): Promise<void> {
    const off = this.#options.log.listen(() => this.#wake());
    await this.#sendAll(first);
    void this.#follow(seq).finally(off);
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async #sendAll(deliveries: readonly Delivery[]): Promise<void> {
    const { send, sendMany } = this.#options;
    try {
      if (sendMany && deliveries.length > 1) await sendMany(deliveries);
      else for (const delivery of deliveries) if (!this.#ended) await send(delivery);
    } catch {
      // The connection is closed.
      this.#ended = true;
    }
  }

  async #follow(start: number): Promise<void> {
    const { log, again, onBehind } = this.#options;
    for (let seq = start; !this.#ended; ) {
      if (!log.knows({ epoch: log.epoch, seq })) {
        this.#ended = true;
        onBehind();
        return;
      }
      const next = log.after(seq);
      if (next && again && next.meta.event?.type === 'rewound') {
        const { first, seq: position } = await again();
        await this.#sendAll(first);
        seq = position;
      } else if (next) {
        await this.#sendAll([next]);
        seq = next.seq;
      } else
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
    }
  }
}
