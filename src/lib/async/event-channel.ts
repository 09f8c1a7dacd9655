type Listener<T> = (event: T) => void;

/** Maximum number of events buffered while there is no listener. */
const MOST_KEPT = 200;

/**
 * Events for listeners that may join late: events emitted while there is no listener are buffered and
 * delivered to the next one. Components created before their listeners take a channel, so that they may emit
 * at any time, even during construction.
 */
export class EventChannel<T> {
  readonly #watchers = new Set<Listener<T>>();
  readonly #listeners = new Set<Listener<T>>();
  #kept: T[] = [];

  emit(event: T): void {
    for (const watcher of this.#watchers) watcher(event);
    // Buffered events are delivered first, in order.
    if (this.#kept.length > 0 || this.#listeners.size === 0)
      this.#kept = [...this.#kept, event].slice(-MOST_KEPT);
    else this.#deliver(event);
  }

  /** Returns a function that removes the listener. All that join in the same tick get the buffered events. */
  listen(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    if (this.#kept.length > 0) queueMicrotask(() => this.#handOver());
    return () => this.#listeners.delete(listener);
  }

  /** Sees the buffered events and then each event when emitted. Not a listener: events are still buffered. */
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
