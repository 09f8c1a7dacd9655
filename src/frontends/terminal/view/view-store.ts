import { emptyView, reduceView } from './store.ts';
import type { Status, View, ViewEvent } from './types.ts';

/** Once so many items are in the scrollback, they are let go of at the next pause. */
const MANY = 500;

/** The view as it is now, for whoever draws it. */
export class ViewStore {
  readonly #listeners = new Set<() => void>();
  readonly #now: () => number;
  #view: View;
  #chapter = 0;

  constructor(status: Status, now: () => number = Date.now) {
    this.#view = emptyView(status);
    this.#now = now;
  }

  get view(): View {
    return this.#view;
  }

  /** Changes when the transcript begins anew, with what was written let go of. */
  get chapter(): number {
    return this.#chapter;
  }

  dispatch(event: ViewEvent): void {
    const next = reduceView(this.#view, event, this.#now());
    if (next === this.#view) return;
    this.#view = next;
    this.#tell();
  }

  /** Everything finished is on the screen by now: what nobody can change need not be kept. */
  trim(): void {
    if (this.#view.finished.length < MANY) return;
    this.#view = { ...this.#view, finished: [] };
    this.#chapter++;
    this.#tell();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
