import { raceAbort } from '../lib/async/abort.ts';

/** Gets the loaded share, from 0 to 1. */
export type LoadProgress = (share: number) => void;

/**
 * Loads something on the first request, once for all requests. When the last request that waits for it is
 * aborted, the load is cancelled; after that, and after a failure, the next request starts a new one.
 */
export class SharedLoad<T> {
  readonly #start: (progress: LoadProgress) => Promise<T>;
  /** Ends a load, or frees what was loaded. */
  readonly #stop: () => Promise<void>;
  readonly #waiting = new Set<LoadProgress>();
  #load: Promise<T> | undefined;

  constructor(start: (progress: LoadProgress) => Promise<T>, stop: () => Promise<void>) {
    this.#start = start;
    this.#stop = stop;
  }

  get isStarted(): boolean {
    return this.#load !== undefined;
  }

  async get(signal: AbortSignal, progress: LoadProgress = () => undefined): Promise<T> {
    signal.throwIfAborted();
    const own: LoadProgress = (share) => progress(share);
    this.#waiting.add(own);
    this.#load ??= this.#start((share) => {
      for (const tell of this.#waiting) tell(share);
    });
    const load = this.#load;
    try {
      return await raceAbort(load, signal);
    } catch (error) {
      const isUnwanted = !signal.aborted || this.#waiting.size === 1;
      // Not awaited: an interrupt must not wait until a process has ended.
      if (isUnwanted && this.#load === load) void this.close();
      throw error;
    } finally {
      this.#waiting.delete(own);
    }
  }

  async close(): Promise<void> {
    this.#load = undefined;
    await this.#stop();
  }
}
