import { visibleText } from '../../../lib/text/visible-text.ts';
import { openConfirm, pressConfirm } from '../dialogs/confirm.ts';
import { confirmExtent, renderConfirm } from '../dialogs/confirm-view.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { type Frame, rowsOf } from '../dialogs/look.ts';
import { modelDialog } from '../dialogs/model.ts';
import type { Dialog } from '../view/dialog.ts';
import type { Line } from '../view/types.ts';

/** `body` shows what a yes would mean, in rows that fit the frame. */
export type Confirmation = { question: string; body(frame: Frame): Line[] };

/** True only after an explicit yes. */
export function confirmDialog({ question, body }: Confirmation, kit: DialogKit): Dialog<boolean> {
  const confirmed = (frame: Frame) => ({ question, body: body(frame) });
  return modelDialog({
    open: () => openConfirm(kit.now()),
    press(state, key, frame) {
      const extent = confirmExtent(confirmed(frame), frame);
      const step = pressConfirm(state, { key, now: kit.now(), extent });
      return step.type === 'done' ? { type: 'end', result: step.agreed } : step;
    },
    lines: (state, frame) => renderConfirm(state, confirmed(frame), frame),
  });
}

/** A text body. */
export function wordsOf(text: string): Confirmation['body'] {
  const words = visibleText(text).replaceAll('\t', '    ');
  return ({ columns, look }) => (text === '' ? [] : rowsOf(words, columns, look.plain));
}
