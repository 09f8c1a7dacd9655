type Listener<T> = (event: T) => void;

/** The latest that are kept while nobody listens. */
const MOST_KEPT = 200;

/**
 * Events for listeners that may join after the first event was sent: what is emitted while nobody listens is kept and
 * handed to whoever listens next. Parts that are made before their audience take a channel, so that they may speak at
 * any time, during construction, too.
 */
export class EventChannel<T> {
  readonly #watchers = new Set<Listener<T>>();
  readonly #listeners = new Set<Listener<T>>();
  #kept: T[] = [];

  emit(event: T): void {
    for (const watcher of this.#watchers) watcher(event);
    // What was kept is heard first, in the order it came.
    if (this.#kept.length > 0 || this.#listeners.size === 0)
      this.#kept = [...this.#kept, event].slice(-MOST_KEPT);
    else this.#deliver(event);
  }

  /** Returns the way to stop listening. All who join in the same tick hear what was kept. */
  listen(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    if (this.#kept.length > 0) queueMicrotask(() => this.#handOver());
    return () => this.#listeners.delete(listener);
  }

  /** Sees what was kept and then each event as it is emitted; it is no audience, so events are still kept for one. */
  watch(watcher: Listener<T>): void {
    for (const event of this.#kept) watcher(event);
    this.#watchers.add(watcher);
  }

  #handOver(): void {
    while (this.#listeners.size > 0) {
      const event = this.#kept.shift();
      if (event === undefined) return;
      this.#deliver(event);
    }
  }

  #deliver(event: T): void {
    for (const listener of this.#listeners) listener(event);
  }
}
