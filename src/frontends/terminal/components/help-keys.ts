import { modelDialog } from '../dialogs/model.ts';
import { helpLines } from '../editor/help-lines.ts';
import type { Keymap } from '../keyboard/keymap.ts';
import { fitTo } from '../text/measure.ts';
import type { Dialog, DialogRoom } from '../view/dialog.ts';
import type { Key, Line } from '../view/types.ts';

/** All keys; up and down scroll, any other key closes. */
export function helpKeysDialog(keymap: Keymap): Dialog<null> {
  const pageFrom = (wanted: number, { columns, rows, theme }: DialogRoom) => {
    const all = helpLines(keymap, { columns, theme });
    const room = Math.max(1, rows - 1);
    const last = Math.max(0, all.length - room);
    return { all, room, last, top: Math.min(wanted, last) };
  };
  return modelDialog<number, null>({
    open: () => 0,
    press(wanted, key, frame) {
      const { room, last, top } = pageFrom(wanted, frame);
      const next = movedBy(key, { top, room });
      if (next === null) return { type: 'end', result: null };
      return { type: 'state', state: Math.max(0, Math.min(last, next)) };
    },
    lines(wanted, frame) {
      const { all, room, last, top } = pageFrom(wanted, frame);
      const hint = last > 0 ? '↑↓ to scroll · any other key to close' : 'any key to close';
      const foot: Line = [
        { text: ' ', caret: true },
        { text: fitTo(hint, Math.max(1, frame.columns - 1)), style: frame.theme.styles.muted },
      ];
      return [...all.slice(top, top + room), foot];
    },
  });
}

/** Null when the key does not scroll. */
function movedBy(key: Key, { top, room }: { top: number; room: number }): number | null {
  const steps: Record<string, number> = {
    up: -1,
    down: 1,
    pageup: 1 - room,
    pagedown: room - 1,
    space: room - 1,
  };
  if (key.type !== 'key') return key.type === 'paste' ? null : top;
  if (key.name === 'home') return 0;
  if (key.name === 'end') return Number.POSITIVE_INFINITY;
  const step = steps[key.name];
  return step === undefined ? null : top + step;
}
