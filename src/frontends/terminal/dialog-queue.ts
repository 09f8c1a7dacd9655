import { ListeningClock } from '../../lib/async/listening-time.ts';
import type { Dialog, ShowDialog } from './view/dialog.ts';

/** The current dialog, whatever its result type. */
export type OpenDialog = {
  dialog: Dialog<unknown>;
  onDone(result: unknown): void;
  /** It opens by itself: keys may still be typing. */
  isQuestion: boolean;
};

/** Shows dialogs one at a time, in the order they were requested. */
export class DialogDesk {
  readonly #listeners = new Set<() => void>();
  readonly #waiting: OpenDialog[] = [];
  readonly #clock = new ListeningClock();

  /** The time in which a dialog was open and its keys were read: those of a stall were typed without seeing it. */
  readonly now = (): number => this.#clock.now();

  get current(): OpenDialog | null {
    return this.#waiting[0] ?? null;
  }

  /** A dialog that the user has opened. */
  readonly show: ShowDialog = (dialog, signal) => this.#open(dialog, { signal, isQuestion: false });

  /** A dialog that opens by itself, perhaps while the user types. */
  readonly ask: ShowDialog = (dialog, signal) => this.#open(dialog, { signal, isQuestion: true });

  #open<Result>(
    dialog: Dialog<Result>,
    { signal, isQuestion }: { signal: AbortSignal | undefined; isQuestion: boolean },
  ): Promise<Result | null> {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve(null);
        return;
      }
      const leave = () => finish(null);
      const finish = (result: Parameters<typeof resolve>[0]) => {
        const at = this.#waiting.indexOf(open);
        if (at === -1) return;
        signal?.removeEventListener('abort', leave);
        this.#waiting.splice(at, 1);
        resolve(result);
        this.#tell();
      };
      const open: OpenDialog = {
        // The caller knows the result type; the queue only passes it on.
        dialog: dialog as Dialog<unknown>,
        onDone: finish as OpenDialog['onDone'],
        isQuestion,
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(open);
      this.#tell();
    });
  }

  /** For when no user is left to answer. */
  closeAll(): void {
    for (const { onDone } of [...this.#waiting]) onDone(null);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #tell(): void {
    this.#clock.run(this.current !== null);
    for (const listener of this.#listeners) listener();
  }
}
