import { modeNote, notedMode, notesPlanning } from '../../context/system-prompt.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import type { Message } from '../../contract/message.ts';
import type { PermissionMode } from '../../contract/permission.ts';

/** `first` is the mode in the system prompt; `updates` informs the model of a change it does not know about. */
export type Mode = ModeSwitch & {
  first: PermissionMode;
  updates(): string | null;
  /** Whether the session was ever in plan mode. Then its tools stay the same, for the vendor's prompt cache. */
  hasPlanned(): boolean;
};

/**
 * `first` is the mode the session started in, `messages` all of its messages, `sent` those that the model sees. A session resumed in another
 * mode keeps its prefix, for the vendor's prompt cache; what the model knows is derived from the messages.
 */
export function createMode(
  mode: PermissionMode,
  {
    first,
    sent,
    messages,
  }: Record<'sent' | 'messages', () => readonly Message[]> & { first: PermissionMode },
): Mode {
  let current = mode;
  let planned = mode === 'plan' || first === 'plan';
  const listeners = new Set<(mode: PermissionMode) => void>();
  return {
    first,
    get: () => current,
    set: (next) => {
      current = next;
      planned ||= next === 'plan';
      for (const listener of listeners) listener(next);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    hasPlanned() {
      planned ||= notesPlanning(messages());
      return planned;
    },
    updates: () => ((notedMode(sent()) ?? first) === current ? null : modeNote(current)),
  };
}
