import type { Highlighter } from '../markdown/highlight.ts';
import type { Theme } from '../theme/theme.ts';
import type { Dialog, DialogRoom } from '../view/dialog.ts';
import type { Key, Line } from '../view/types.ts';
import { type Frame, lookOf } from './look.ts';

/** The result of a key: another state, perhaps with keys that belong to the prompt, or the end of the dialog. */
export type Outcome<State, Result> =
  | { type: 'state'; state: State }
  | { type: 'typed'; keys: readonly Key[]; state: State }
  | { type: 'end'; result: Result };

/** The same object as long as the size and the styles are the same. */
export type DialogFrame = Frame & { theme: Theme; highlighter?: Highlighter };

type Model<State, Result> = {
  open(): State;
  press(state: State, key: Key, frame: DialogFrame): Outcome<State, Result>;
  lines(state: State, frame: DialogFrame): Line[];
};

/**
 * A dialog whose state is changed only by keys. Keys may arrive faster than frames: each sees the state left
 * by the previous one, and none arrives after the end.
 */
export function modelDialog<State, Result>({ open, press, lines }: Model<State, Result>): Dialog<Result> {
  return ({ onDone, redraw, type }) => {
    let state = open();
    let frame: DialogFrame | null = null;
    let ended = false;
    return {
      lines(room) {
        frame = frameFor(room, frame);
        return lines(state, frame);
      },
      press(key) {
        if (ended || !frame) return;
        const outcome = press(state, key, frame);
        if (outcome.type === 'end') {
          ended = true;
          onDone(outcome.result);
          return;
        }
        if (outcome.state !== state) {
          state = outcome.state;
          redraw();
        }
        if (outcome.type === 'typed') type(outcome.keys);
      },
    };
  };
}

export function frameFor(room: DialogRoom, before: DialogFrame | null): DialogFrame {
  const { columns, rows, theme, highlighter } = room;
  const isSame =
    before?.columns === columns &&
    before.rows === rows &&
    before.theme === theme &&
    before.highlighter === highlighter;
  return isSame ? before : { ...room, look: lookOf(theme) };
}
