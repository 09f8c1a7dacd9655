import type { Key } from '../view/types.ts';
import type { TextBuffer } from './text-buffer.ts';
import { isResting, type Vim } from './vim-state.ts';

/** What `.` repeats. */
export type Repeat = {
  /** The keys of the last command that changed the text. */
  change: readonly Key[];
  /** The keys of the current command, and the text before it; null if it did not start in normal mode. */
  current: { keys: readonly Key[]; text: string } | null;
};

export const nothingToRepeat: Repeat = { change: [], current: null };

export function isDot(vim: Vim, key: Key): boolean {
  return isResting(vim) && key.type === 'key' && key.text === '.' && !key.ctrl && !key.alt;
}

type State = { vim: Vim | null; buffer: TextBuffer; repeat: Repeat };

/** After a key: a finished command that changed the text becomes the one to repeat. */
export function remembered(before: State, { vim, buffer }: State, key: Key): Repeat {
  const { change, current } = before.repeat;
  const begun = before.vim && isResting(before.vim) ? { keys: [], text: before.buffer.text } : current;
  if (!vim || !begun) return { change, current: null };
  const keys = [...begun.keys, key];
  if (!isResting(vim)) return { change, current: { keys, text: begun.text } };
  const isChange = buffer.text !== begun.text && !isUndo(keys[0]);
  return { change: isChange ? keys : change, current: null };
}

function isUndo(key: Key | undefined): boolean {
  return key?.type === 'key' && (key.text === 'u' || (key.ctrl && key.name === 'r'));
}
