import { emptyView, reduceView } from './store.ts';
import type { Item, Status, View, ViewEvent } from './types.ts';

/** The current view, for the renderer. */
export class ViewStore {
  readonly #listeners = new Set<() => void>();
  #view: View;

  constructor(status: Status, start: View['start'] = null) {
    this.#view = emptyView(status, start);
  }

  get view(): View {
    return this.#view;
  }

  dispatch(event: ViewEvent): void {
    const next = reduceView(this.#view, event, Date.now());
    if (next === this.#view) return;
    this.#view = next;
    for (const listener of this.#listeners) listener();
  }

  /** Whether there is a failed run to send again: once, however often it is asked for. */
  takeRetry(): boolean {
    const { failed } = this.#view;
    if (failed) this.dispatch({ type: 'retried' });
    return failed;
  }

  /** Items finished since the last call, each once: finished items are not kept. */
  takeFinished(): readonly Item[] {
    const { finished } = this.#view;
    if (finished.length > 0) this.#view = { ...this.#view, finished: [] };
    return finished;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
