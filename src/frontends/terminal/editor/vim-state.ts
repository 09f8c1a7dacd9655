import type { Action } from '../keyboard/keymap.ts';
import type { TextBuffer } from './text-buffer.ts';
import type { Find } from './vim-motions.ts';

export type Operator = 'd' | 'c' | 'y';

/** Where visual mode started, and whether it is linewise. */
type Visual = { from: number; lines: boolean };

export type Vim = {
  mode: 'insert' | 'normal';
  /** Null while nothing is selected; the other end is the caret. */
  visual: Visual | null;
  count: string;
  operator: Operator | null;
  /** A key that waits for the next one. */
  waiting: 'g' | 'r' | 'i' | 'a' | Find['way'] | null;
  find: Find | null;
};

/** Whether the next key starts a new command. */
export function isResting({ mode, visual, count, operator, waiting }: Vim): boolean {
  return mode === 'normal' && visual === null && count === '' && operator === null && waiting === null;
}

export const vimInsert: Vim = {
  mode: 'insert',
  visual: null,
  count: '',
  operator: null,
  waiting: null,
  find: null,
};

/** `action` is the key's meaning outside vim. */
export type VimStep = { buffer: TextBuffer; vim: Vim; action?: Action };
