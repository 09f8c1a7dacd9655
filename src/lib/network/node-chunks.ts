import type { Readable } from 'node:stream';
import type { ByteSource } from './byte-stream.ts';

/** So many chunks wait for a slow reader before the sender has to. */
const MAX_WAITING = 64;

type Step = Awaited<ReturnType<ByteSource['next']>>;
type Waiter = { resolve(step: Step): void; reject(error: unknown): void };

/**
 * The chunks of a node stream, each handed over in the moment it arrives. An end that comes too early is an error,
 * and leaving before the end destroys the stream.
 */
export function chunksOf(stream: Readable): ByteSource {
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let waiter: Waiter | undefined;
  let end: { error?: unknown } | undefined;

  function finish(ending: { error?: unknown }): void {
    end ??= ending;
    const { resolve, reject } = waiter ?? {};
    waiter = undefined;
    if ('error' in end) reject?.(end.error);
    else resolve?.({ done: true, value: undefined });
  }
  function take(chunk: Uint8Array<ArrayBuffer>): void {
    if (waiter) {
      const { resolve } = waiter;
      waiter = undefined;
      resolve({ done: false, value: chunk });
    } else if (waiting.push(chunk) >= MAX_WAITING) stream.pause();
  }
  // At once: chunks that wait in the stream itself take longer than those that come straight.
  stream.on('data', take);
  stream.once('end', () => finish({}));
  stream.once('error', (error) => finish({ error }));
  stream.once('close', () => finish({ error: new Error('The connection closed before the end.') }));

  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (waiting.length > 0) {
          // What came together is handed on together: each step of a reader costs more than the bytes.
          const [first] = waiting;
          const value = first && waiting.length === 1 ? first : Buffer.concat(waiting);
          waiting = [];
          if (stream.isPaused()) stream.resume();
          return resolve({ done: false, value });
        }
        waiter = { resolve, reject };
        if (end) finish(end);
      }),
    async return() {
      stream.destroy();
      return { done: true, value: undefined };
    },
  };
}
