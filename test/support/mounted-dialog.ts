import { setTimeout as sleep } from 'node:timers/promises';
import { textOfLine } from '../../src/frontends/terminal/dialogs/look.ts';
import { themeOf } from '../../src/frontends/terminal/theme/theme.ts';
import type { Dialog, DialogView, ShowDialog } from '../../src/frontends/terminal/view/dialog.ts';
import type { Key } from '../../src/frontends/terminal/view/types.ts';

const SETTLE_MS = 20;
const theme = themeOf('dark', 'none');

type Room = { columns: number; rows: number };

/** A dialog on its own screen. */
export class MountedDialog<Result> {
  readonly #view: DialogView;
  readonly #room: Room;
  #drawn: string[] = [];
  #isDone = false;
  /** The keys that it passed on to the prompt. */
  readonly typed: Key[] = [];
  /** Resolves when the dialog is done. */
  readonly result: Promise<Result>;

  constructor(dialog: Dialog<Result>, room: Room) {
    this.#room = room;
    let resolve: (result: Result) => void = () => undefined;
    this.result = new Promise((answered) => {
      resolve = answered;
    });
    const onDone = (result: Result) => {
      this.#isDone = true;
      resolve(result);
    };
    this.#view = dialog({
      onDone,
      redraw: () => queueMicrotask(() => this.#draw()),
      type: (keys) => void this.typed.push(...keys),
    });
    this.#draw();
  }

  /** Presses keys one after another, without a frame in between. */
  press(...keys: readonly Key[]): void {
    for (const key of keys) this.#view.press(key);
  }

  /** The rows on the screen, after pending updates are drawn. */
  async screen(): Promise<string[]> {
    await sleep(SETTLE_MS);
    return this.#drawn;
  }

  close(): void {
    this.#view.close?.();
  }

  #draw(): void {
    if (this.#isDone) return;
    const lines = this.#view.lines({ ...this.#room, theme });
    this.#drawn = lines.map((line) => textOfLine(line).trimEnd());
  }
}

/**
 * Shows dialogs to a user who presses the given keys, one list per dialog, and records what was visible
 * before.
 */
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
