import type { Key } from '../view/types.ts';

/** What dialogs need from their screen. */
export type DialogKit = {
  now(): number;
  /** Called with a key pressed before the user can have read the dialog: it was meant for the prompt. */
  onEarlyKey(key: Key): void;
};
