import type { Theme } from '../theme/theme.ts';
import type { Key, Line } from './types.ts';

/** The most room a part of the screen may fill, and its colours. */
export type DialogRoom = { columns: number; rows: number; theme: Theme };

/** A dialog that is open. */
export type DialogView = {
  lines(room: DialogRoom): Line[];
  /** Comes only after the first drawing. */
  press(key: Key): void;
  /** It is answered, or nobody waits for the answer any more. */
  close?(): void;
};

/** What every dialog gets from the screen. `redraw` asks for another drawing. */
export type DialogHost<Result> = { onDone(result: Result): void; redraw(): void };

/** Opens the dialog when its turn has come. */
export type Dialog<Result> = (host: DialogHost<Result>) => DialogView;

/** Puts a dialog on the screen, one at a time, in the order of the calls. Null when the signal came first. */
export type ShowDialog = <Result>(dialog: Dialog<Result>, signal?: AbortSignal) => Promise<Result | null>;
