/** How long a body that is left before its end may take to reach it, so that its connection can be used again. */
const LEAVING_MS = 50;

type Bytes = Uint8Array<ArrayBuffer>;
type Step = IteratorResult<Bytes, undefined>;
export type ByteSource = AsyncIterator<Bytes, undefined, undefined>;

const DONE: Step = { done: true, value: undefined };

/**
 * A web stream over any source of bytes. Read in the ordinary ways, by a reader or by `for await`, each chunk comes
 * straight from the source: the runtime's own machinery takes longer over a chunk than everything else together.
 * What else a web stream can do is the runtime's. A reader does not lock the stream; two would share its chunks.
 */
export class ByteStream extends ReadableStream<Bytes> {
  readonly #source: ByteSource;
  #tap: ((chunk: Uint8Array) => void) | undefined;
  #leaving: Promise<void> | undefined;
  #close: (end: undefined) => void = () => undefined;
  readonly #closed = new Promise<undefined>((resolve) => {
    this.#close = resolve;
  });

  constructor(source: ByteSource) {
    super(
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
    this.#source = source;
  }

  /** Lets one listener see every chunk just before its reader does. */
  tap(listener: (chunk: Uint8Array) => void): void {
    this.#tap = listener;
  }

  override getReader(options: { mode: 'byob' }): ReadableStreamBYOBReader;
  override getReader(): ReadableStreamDefaultReader<Bytes>;
  override getReader(options?: ReadableStreamGetReaderOptions): ReadableStreamReader<Bytes>;
  override getReader(options?: ReadableStreamGetReaderOptions): ReadableStreamReader<Bytes> {
    if (options?.mode !== undefined) return super.getReader(options);
    return {
      closed: this.#closed,
      read: () => this.#next(),
      cancel: () => this.#leave(),
      releaseLock: () => undefined,
    };
  }

  override [Symbol.asyncIterator](): ReadableStreamAsyncIterator<Bytes> {
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
