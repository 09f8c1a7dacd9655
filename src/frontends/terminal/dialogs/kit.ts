import type { Key } from '../view/types.ts';

/** What dialogs need from the screen they stand on. */
export type DialogKit = {
  now(): number;
  /** A key that came before the dialog can have been read: it was meant for the prompt. */
  onEarlyKey(key: Key): void;
};
