import { modeNote } from '../context/system-prompt.ts';
import type { ModeSwitch } from '../contract/command.ts';
import type { PermissionMode } from '../contract/permission.ts';

/** `first` is the mode the system prompt speaks of; `news` tells the model once of each change since. */
export type Mode = ModeSwitch & { first: PermissionMode; news(): string | null };

export function createMode(first: PermissionMode): Mode {
  let current = first;
  let told = first;
  return {
    first,
    get: () => current,
    set: (mode) => {
      current = mode;
    },
    news() {
      if (current === told) return null;
      told = current;
      return modeNote(current);
    },
  };
}
