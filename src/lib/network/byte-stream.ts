/** How long a body that is left before its end may take to reach it, so that its connection can be used again. */
const LEAVING_MS = 50;

type Bytes = Uint8Array<ArrayBuffer>;
type Step = IteratorResult<Bytes, undefined>;
export type ByteSource = AsyncIterator<Bytes, undefined, undefined>;

const DONE: Step = { done: true, value: undefined };

/**
 * A web stream over any source of bytes. Read in the ordinary ways, by a reader or by `for await`, each chunk comes
 * straight from the source: the runtime's own machinery takes longer over a chunk than everything else together.
 * For what else a web stream can do, one of the runtime's is made. A reader does not lock the stream; two would share
 * its chunks.
 */
export class ByteStream implements ReadableStream<Bytes> {
  readonly #source: ByteSource;
  #tap: ((chunk: Uint8Array) => void) | undefined;
  #leaving: Promise<void> | undefined;
  #web: ReadableStream<Bytes> | undefined;
  #close: (end: undefined) => void = () => undefined;
  readonly #closed = new Promise<undefined>((resolve) => {
    this.#close = resolve;
  });

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Lets one listener see every chunk just before its reader does. */
  tap(listener: (chunk: Uint8Array) => void): void {
    this.#tap = listener;
  }

  /** A stream of the runtime's own kind, over what has not been read yet. */
  get web(): ReadableStream<Bytes> {
    this.#web ??= new ReadableStream(
      {
        pull: async (controller) => {
          const { done, value } = await this.#next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => this.#leave(),
      },
      // Nothing is fetched ahead: the ordinary ways would miss it.
      { highWaterMark: 0 },
    );
    return this.#web;
  }

  get locked(): boolean {
    return this.#web?.locked ?? false;
  }

  cancel(): Promise<void> {
    return this.#leave();
  }

  pipeThrough<T>(pair: ReadableWritablePair<T, Bytes>, options?: StreamPipeOptions): ReadableStream<T> {
    return this.web.pipeThrough(pair, options);
  }

  pipeTo(destination: WritableStream<Bytes>, options?: StreamPipeOptions): Promise<void> {
    return this.web.pipeTo(destination, options);
  }

  tee(): [ReadableStream<Bytes>, ReadableStream<Bytes>] {
    return this.web.tee();
  }

  getReader(options: { mode: 'byob' }): ReadableStreamBYOBReader;
  getReader(): ReadableStreamDefaultReader<Bytes>;
  getReader(options?: ReadableStreamGetReaderOptions): ReadableStreamReader<Bytes>;
  getReader(options?: ReadableStreamGetReaderOptions): ReadableStreamReader<Bytes> {
    if (options?.mode !== undefined) return this.web.getReader(options);
    return {
      closed: this.#closed,
      read: () => this.#next(),
      cancel: () => this.#leave(),
      releaseLock: () => undefined,
    };
  }

  values(): ReadableStreamAsyncIterator<Bytes> {
    return this[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): ReadableStreamAsyncIterator<Bytes> {
    return {
      next: () => this.#next(),
      return: async () => {
        await this.#leave();
        return DONE;
      },
      [Symbol.asyncDispose]: () => this.#leave(),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  async #next(): Promise<Step> {
    if (this.#leaving) return DONE;
    const step = await this.#source.next();
    if (step.done) this.#close(undefined);
    else this.#tap?.(step.value);
    return step;
  }

  #leave(): Promise<void> {
    this.#leaving ??= readToEnd(this.#source);
    return this.#leaving;
  }
}

/** The chunks of a web stream. Not by its iterator, which cannot be left while it waits for a chunk. */
export function sourceOf(stream: ReadableStream<Bytes>): ByteSource {
  const reader = stream.getReader();
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? DONE : { done, value };
    },
    async return() {
      await reader.cancel();
      return DONE;
    },
  };
}

async function readToEnd(source: ByteSource): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Step>((resolve) => {
    timer = setTimeout(resolve, LEAVING_MS, DONE);
  });
  try {
    while (!(await Promise.race([source.next(), late])).done);
  } catch {
    // Nobody wants the rest, so nobody wants to know why it does not come.
  } finally {
    clearTimeout(timer);
    // Not waited for: some sources answer only after the chunk that does not come.
    source.return?.().catch(() => undefined);
  }
}
