import type { ModeSwitch } from '../../contract/command.ts';
import type { PermissionMode } from '../../contract/permission.ts';

/** The permission mode of a session. The model learns of a change with the next prompt. */
export type Mode = ModeSwitch;

export function createMode(mode: PermissionMode): Mode {
  let current = mode;
  const listeners = new Set<(mode: PermissionMode) => void>();
  return {
    get: () => current,
    set: (next) => {
      current = next;
      for (const listener of listeners) listener(next);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
