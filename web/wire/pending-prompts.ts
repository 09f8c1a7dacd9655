import type { ContentBlock } from '@agentclientprotocol/sdk';
import { RpcError } from './json-rpc.ts';

type Pending = {
  blocks: ContentBlock[];
  accepted(): void;
  refused(reason: Error): void;
};

export type PendingPromptsOptions = {
  /** Answered when the prompt is answered. */
  request(id: string, blocks: ContentBlock[]): Promise<unknown>;
  /** Called with those that the server has not accepted yet, oldest first. */
  onChange(prompts: ContentBlock[][]): void;
};

/**
 * The prompts that the server has not accepted yet. They are sent again when the connection is back, always with the
 * same id, so that each of them runs once.
 */
export class PendingPrompts {
  readonly #options: PendingPromptsOptions;
  readonly #pending = new Map<string, Pending>();

  constructor(options: PendingPromptsOptions) {
    this.#options = options;
  }

  /** Resolves when it was accepted, however long that takes; rejects when it was refused. */
  send(blocks: ContentBlock[]): Promise<void> {
    const id = crypto.randomUUID();
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { blocks, accepted: resolve, refused: reject });
      this.#changed();
      this.#request(id, blocks);
    });
  }

  /** The session contains it, or it waits there. */
  accepted(id: string): void {
    this.#take(id)?.accepted();
  }

  /** The connection is back: what has not arrived, as far as we know, is sent in the same order. */
  sendAgain(): void {
    for (const [id, { blocks }] of this.#pending) this.#request(id, blocks);
  }

  /** There will be no connection. */
  refuseAll(reason: Error): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.refused(reason);
  }

  #request(id: string, blocks: ContentBlock[]): void {
    this.#options.request(id, blocks).then(
      () => this.accepted(id),
      (error: Error) => {
        // Anything else is the connection's failure.
        if (error instanceof RpcError) this.#take(id)?.refused(error);
      },
    );
  }

  #take(id: string): Pending | undefined {
    const found = this.#pending.get(id);
    if (this.#pending.delete(id)) this.#changed();
    return found;
  }

  #changed(): void {
    this.#options.onChange([...this.#pending.values()].map(({ blocks }) => blocks));
  }
}
