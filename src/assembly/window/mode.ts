import { modeNote, notedMode } from '../../context/system-prompt.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import type { Message } from '../../contract/message.ts';
import type { PermissionMode } from '../../contract/permission.ts';

/** `first` is the mode in the system prompt; `updates` informs the model of a change it does not know about. */
export type Mode = ModeSwitch & { first: PermissionMode; updates(): string | null };

/**
 * `first` is the mode the session started in, `sent` what the model sees of it. A session resumed in another
 * mode keeps its prefix, for the vendor's prompt cache; what the model knows is derived from the messages.
 */
export function createMode(
  mode: PermissionMode,
  { first, sent }: { first: PermissionMode; sent(): readonly Message[] },
): Mode {
  let current = mode;
  const listeners: ((mode: PermissionMode) => void)[] = [];
  return {
    first,
    get: () => current,
    set: (next) => {
      current = next;
      for (const listener of listeners) listener(next);
    },
    onChange: (listener) => void listeners.push(listener),
    updates: () => ((notedMode(sent()) ?? first) === current ? null : modeNote(current)),
  };
}
