import type { Highlighter } from './markdown/highlight.ts';
import type { Theme } from './theme/theme.ts';

/** What the screen is drawn for. `leaving` takes the live zone away for good. */
type Now = {
  columns: number;
  rows: number;
  theme: Theme;
  highlighter: Highlighter;
  leaving: boolean;
  drawing: number;
};

/** The terminal's size and colours, which may change at any time. */
export class Surroundings {
  readonly #listeners = new Set<() => void>();
  #now: Now;

  constructor(now: Omit<Now, 'leaving' | 'drawing'>) {
    this.#now = { ...now, leaving: false, drawing: 0 };
  }

  get now(): Now {
    return this.#now;
  }

  /** Draws again, also when nothing has changed. */
  change(change: Partial<Omit<Now, 'drawing'>>): void {
    this.#now = { ...this.#now, ...change, drawing: this.#now.drawing + 1 };
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
