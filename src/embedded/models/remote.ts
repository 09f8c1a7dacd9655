import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { limited, unlessAborted } from '../../lib/async/abort.ts';
import { Channel } from '../../lib/async/channel.ts';
import type { FromWorker, OrderName, Orders, ToWorker } from '../protocol.ts';

/** An error in the worker. */
export class EngineFault extends Error {
  override name = 'EngineFault';
  /** `died`: it crashed; `killed`: by the system or by `close`. */
  readonly fault: 'overflow' | 'template' | 'died' | 'killed' | 'other';

  constructor(fault: EngineFault['fault'], message: string) {
    super(message);
    this.fault = fault;
  }
}

/** What arrives before the answer. */
type News = { text?(text: string): void; loading?(share: number): void };

type Waiting = News & { done(answer: unknown): void; failed(error: unknown): void };

/** A killed process may take this long to free its memory. */
const KILL_MS = 2_000;

/**
 * The engine in its own process: a load can be cancelled at any time, and a crash of llama.cpp does not end
 * the program. It keeps the program alive only while a request is pending; `close` ends it and frees its
 * memory.
 */
export class RemoteEngine {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: EngineFault | undefined;

  constructor(worker: string, env: Record<string, string>) {
    // Nothing that a library prints may reach the screen.
    this.#child = fork(worker, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env });
    this.#keepAlive(false);
    this.#child.on('message', (message) => this.#hear(message as FromWorker));
    this.#child.on('error', (error) => this.#end('killed', error.message));
    this.#child.on('exit', (code, signal) =>
      this.#end(signal === 'SIGKILL' ? 'killed' : 'died', endingOf(code, signal)),
    );
  }

  ask<Name extends OrderName>(
    type: Name,
    order: Orders[Name]['order'],
    news: News = {},
  ): { id: number; answer: Promise<Orders[Name]['answer']> } {
    const id = ++this.#last;
    const answer = new Promise<Orders[Name]['answer']>((resolve, reject) => {
      if (this.#ended) {
        reject(this.#ended);
        return;
      }
      // The worker answers an order with the matching answer type.
      const done = (value: unknown) => resolve(value as Orders[Name]['answer']);
      this.#waiting.set(id, { ...news, done, failed: reject });
      this.#keepAlive(true);
      // The signature ensures that name and order match; the compiler cannot infer it here.
      this.#send({ id, type, order } as ToWorker);
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
    const { id, answer } = this.ask('generate', order, { text: (text) => void pieces.push(text) });
    const stop = () => {
      this.#send({ id, type: 'abort' });
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
      if (!over) this.#send({ id, type: 'abort' });
    }
  }

  /** At once, whatever it is doing. */
  async close(): Promise<void> {
    if (this.#ended) return;
    const exit = once(this.#child, 'exit');
    this.#end('killed', 'it was closed');
    // Otherwise a program that only waits for this would end here, without its exit code.
    this.#keepAlive(true);
    this.#child.kill('SIGKILL');
    await unlessAborted(exit, limited(KILL_MS));
  }

  #send(message: ToWorker): void {
    // A process that has just ended is reported by its exit.
    this.#child.send(message, () => undefined);
  }

  #keepAlive(isNeeded: boolean): void {
    const how = isNeeded ? 'ref' : 'unref';
    this.#child[how]();
    // Bun's channel has neither.
    this.#child.channel?.[how]?.();
  }

  #hear(message: FromWorker): void {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    if (message.type === 'text') {
      waiting.text?.(message.text);
      return;
    }
    if (message.type === 'loading') {
      waiting.loading?.(message.share);
      return;
    }
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#keepAlive(false);
    if (message.type === 'done') waiting.done(message.answer);
    else waiting.failed(new EngineFault(message.fault, message.message));
  }

  #end(fault: 'died' | 'killed', why: string): void {
    this.#ended ??= new EngineFault(fault, `The embedded model stopped: ${why}.`);
    for (const { failed } of this.#waiting.values()) failed(this.#ended);
    this.#waiting.clear();
  }
}

function endingOf(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === 'SIGKILL') return 'the system killed it, probably for lack of memory';
  return `its process ended with ${signal ?? `code ${code}`}`;
}
