import type { Highlighter } from './markdown/highlight.ts';
import type { Theme } from './theme/theme.ts';

/** What the screen is drawn for. */
export type Now = {
  columns: number;
  rows: number;
  theme: Theme;
  highlighter: Highlighter;
  /** A path as it is shown. If absent, the path itself. */
  shownPath?: (path: string) => string;
};

/** The terminal's size and colors, which may change at any time. */
export class Surroundings {
  readonly #listeners = new Set<() => void>();
  #now: Now;

  constructor(now: Now) {
    this.#now = now;
  }

  get now(): Now {
    return this.#now;
  }

  /** Redraws, even when nothing has changed. */
  change(change: Partial<Now>): void {
    this.#now = { ...this.#now, ...change };
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
