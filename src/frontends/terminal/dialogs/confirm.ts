import type { Key } from '../view/types.ts';
import { type Guard, guardFrom, tooEarly } from './guard.ts';
import { type Extent, scrolled } from './scroll.ts';

/** A question where only an explicit yes counts, under scrollable text. */
export type ConfirmState = { guard: Guard; top: number };

export type ConfirmStep = { type: 'state'; state: ConfirmState } | { type: 'done'; agreed: boolean };

export function openConfirm(now: number): ConfirmState {
  return { guard: guardFrom(now), top: 0 };
}

type Press = { key: Key; now: number; extent: Extent };

/** `y` is yes; `n`, Esc and Ctrl-C are no; anything else is ignored. */
export function pressConfirm(state: ConfirmState, { key, now, extent }: Press): ConfirmStep {
  if (key.type !== 'key') return { type: 'state', state };
  if (key.name === 'escape' || (key.ctrl && key.name === 'c')) return { type: 'done', agreed: false };
  const guard = tooEarly(state.guard, { now, isEnter: false });
  if (guard) return { type: 'state', state: { ...state, guard } };
  if (!key.ctrl && !key.alt && (key.name === 'y' || key.name === 'n'))
    return { type: 'done', agreed: key.name === 'y' };
  const top = scrolled(state.top, key, extent);
  return { type: 'state', state: top === null ? state : { ...state, top } };
}
