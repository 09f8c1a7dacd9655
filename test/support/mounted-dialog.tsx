import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { render } from 'ink';
import { KeySourceContext } from '../../src/frontends/terminal/use-keys.ts';
import type { Dialog, Key, ShowDialog } from '../../src/frontends/terminal/view/types.ts';

const SETTLE_MS = 20;

class Frames extends Writable {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows = 1000;
  last = '';

  constructor(columns: number) {
    super({ decodeStrings: false });
    this.columns = columns;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    // What only moves the cursor is no frame.
    const text = stripVTControlCharacters(chunk);
    if (text.trim() !== '') this.last = text;
    done();
  }
}

type Room = { columns: number; rows: number };

/** A dialog on a screen of its own. */
export class MountedDialog<Result> {
  readonly #frames: Frames;
  readonly #listeners = new Set<(key: Key) => void>();
  readonly #unmount: () => void;
  /** Resolves when the dialog is done. */
  readonly result: Promise<Result>;

  constructor(Dialog: Dialog<Result>, { columns, rows }: Room) {
    this.#frames = new Frames(columns);
    const { promise, resolve } = withResolve<Result>();
    this.result = promise;
    const source = {
      listen: (listener: (key: Key) => void) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
    const { unmount } = render(
      <KeySourceContext.Provider value={source}>
        <Dialog columns={columns} rows={rows} onDone={resolve} />
      </KeySourceContext.Provider>,
      // Ink asks a stream for no more than this one has.
      { stdout: this.#frames as unknown as NodeJS.WriteStream, debug: true, patchConsole: false },
    );
    this.#unmount = unmount;
  }

  /** Keys one after another, without waiting for a drawing between them. */
  press(...keys: readonly Key[]): void {
    for (const key of keys) for (const listener of [...this.#listeners]) listener(key);
  }

  /** The rows on the screen, after what is under way was drawn. */
  async screen(): Promise<string[]> {
    await settled();
    return this.#frames.last.split('\n').map((row) => row.trimEnd());
  }

  close(): void {
    this.#unmount();
  }
}

/** Shows dialogs to somebody who presses the given keys, one list for each dialog, and notes what was seen before. */
export function showTo(script: readonly (readonly Key[])[], room: Room = { columns: 80, rows: 20 }) {
  const screens: string[][] = [];
  let next = 0;
  const show: ShowDialog = async (dialog) => {
    const keys = script[next++];
    if (!keys) throw new Error(`Nobody expected a dialog number ${next}.`);
    const mounted = new MountedDialog(dialog, room);
    screens.push(await mounted.screen());
    mounted.press(...keys);
    try {
      return await mounted.result;
    } finally {
      mounted.close();
    }
  };
  return { show, screens, shown: () => next };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
}

function withResolve<Result>(): { promise: Promise<Result>; resolve(result: Result): void } {
  let resolve: (result: Result) => void = () => undefined;
  const promise = new Promise<Result>((take) => {
    resolve = take;
  });
  return { promise, resolve: (result) => resolve(result) };
}
