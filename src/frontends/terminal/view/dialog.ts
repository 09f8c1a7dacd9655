import type { Highlighter } from '../markdown/highlight.ts';
import type { Theme } from '../theme/theme.ts';
import type { Key, Line } from './types.ts';

/** The maximum size of a part of the screen, and its theme. */
export type DialogRoom = { columns: number; rows: number; theme: Theme; highlighter?: Highlighter };

/** An open dialog. */
export type DialogView = {
  lines(room: DialogRoom): Line[];
  /** Called only after the first frame. */
  press(key: Key): void;
  /** Called when it is answered or aborted. */
  close?(): void;
};

/** What every dialog gets from the screen. `redraw` requests another frame; `type` passes keys to the prompt. */
export type DialogHost<Result> = {
  onDone(result: Result): void;
  redraw(): void;
  type(keys: readonly Key[]): void;
};

/** Opens the dialog when it is its turn. */
export type Dialog<Result> = (host: DialogHost<Result>) => DialogView;

/** Shows a dialog, one at a time, in the order of the calls. Null when the signal is aborted first. */
export type ShowDialog = <Result>(dialog: Dialog<Result>, signal?: AbortSignal) => Promise<Result | null>;
