import { Worker } from 'node:worker_threads';
import { Channel } from '../../lib/async/channel.ts';
import type { FromWorker, OrderName, Orders, ToWorker } from '../protocol.ts';

/** An error in the worker. */
export class EngineFault extends Error {
  override name = 'EngineFault';
  readonly fault: 'overflow' | 'template' | 'died' | 'other';

  constructor(fault: EngineFault['fault'], message: string) {
    super(message);
    this.fault = fault;
  }
}

type Waiting = {
  text(text: string): void;
  done(answer: unknown): void;
  failed(error: unknown): void;
};

/**
 * The engine in its thread. The thread keeps the program alive only while a request is pending; `close` ends
 * it and frees its memory.
 */
export class RemoteEngine {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: EngineFault | undefined;

  constructor(file: URL | string, env: Record<string, string>) {
    // Nothing that a library prints may reach the screen.
    this.#worker = new Worker(file, { stdout: true, stderr: true, env });
    this.#worker.unref();
    this.#worker.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (error) => this.#end(error.message));
    this.#worker.on('exit', () => this.#end('its worker thread ended'));
  }

  ask<Name extends OrderName>(
    type: Name,
    order: Orders[Name]['order'],
    text: (text: string) => void = () => undefined,
  ): { id: number; answer: Promise<Orders[Name]['answer']> } {
    const id = ++this.#last;
    const answer = new Promise<Orders[Name]['answer']>((resolve, reject) => {
      if (this.#ended) {
        reject(this.#ended);
        return;
      }
      // The worker answers an order with the matching answer type.
      const done = (value: unknown) => resolve(value as Orders[Name]['answer']);
      this.#waiting.set(id, { text, done, failed: reject });
      this.#worker.ref();
      // The signature ensures that name and order match; the compiler cannot infer it here.
      this.#worker.postMessage({ id, type, order } as ToWorker);
    });
    return { id, answer };
  }

  /**
   * Yields the text as it arrives; returns the answer. An abort ends it here at once, and in the worker soon
   * after.
   */
  async *generate(
    order: Orders['generate']['order'],
    signal: AbortSignal,
  ): AsyncGenerator<string, Orders['generate']['answer']> {
    signal.throwIfAborted();
    const pieces = new Channel<string>();
    const { id, answer } = this.ask('generate', order, (text) => void pieces.push(text));
    const stop = () => {
      this.#worker.postMessage({ id, type: 'abort' } satisfies ToWorker);
      pieces.fail(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    let over = false;
    answer.then(
      () => pieces.close(),
      (error: unknown) => pieces.fail(error),
    );
    try {
      yield* pieces;
      signal.throwIfAborted();
      over = true;
      return await answer;
    } finally {
      signal.removeEventListener('abort', stop);
      if (!over) this.#worker.postMessage({ id, type: 'abort' } satisfies ToWorker);
    }
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    await this.ask('unload', null).answer.catch(() => undefined);
    await this.#worker.terminate();
  }

  #hear(message: FromWorker): void {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    if (message.type === 'text') {
      waiting.text(message.text);
      return;
    }
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (message.type === 'done') waiting.done(message.answer);
    else waiting.failed(new EngineFault(message.fault, message.message));
  }

  #end(why: string): void {
    this.#ended ??= new EngineFault('died', `The embedded model stopped: ${why}.`);
    for (const { failed } of this.#waiting.values()) failed(this.#ended);
    this.#waiting.clear();
  }
}
