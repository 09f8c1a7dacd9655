import { useEffect, useReducer, useRef } from 'react';
import { useKeys } from '../use-keys.ts';
import type { Key } from '../view/types.ts';

/** What a key made of a dialog: another state, or its end. */
export type Outcome<State, Result> = { type: 'state'; state: State } | { type: 'end'; result: Result };

type Model<State, Result> = {
  /** Called when the dialog is on the screen. */
  open(): State;
  press(state: State, key: Key): Outcome<State, Result>;
  onDone(result: Result): void;
};

/**
 * The state of a dialog, changed by keys only. Keys may come faster than drawings: each meets the state the one before
 * it left, and none comes after the end.
 */
export function useModel<State, Result>({ open, press, onDone }: Model<State, Result>): State {
  const state = useRef<{ now: State } | null>(null);
  const ended = useRef(false);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  state.current ??= { now: open() };
  const opening = useRef(open);
  // What was drawn is on the screen only now.
  useEffect(() => {
    state.current = { now: opening.current() };
  }, []);
  useKeys(
    (key) => {
      if (ended.current || !state.current) return;
      const outcome = press(state.current.now, key);
      if (outcome.type === 'end') {
        ended.current = true;
        onDone(outcome.result);
        return;
      }
      if (outcome.state === state.current.now) return;
      state.current = { now: outcome.state };
      redraw();
    },
    { active: true },
  );
  return state.current.now;
}
