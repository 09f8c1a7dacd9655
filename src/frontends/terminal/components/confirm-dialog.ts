import { visibleLine, visibleText } from '../../../lib/text/visible-text.ts';
import { type ConfirmState, openConfirm, pressConfirm } from '../dialogs/confirm.ts';
import { keyRow } from '../dialogs/footer.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { type Frame, rowsOf, span } from '../dialogs/look.ts';
import { modelDialog } from '../dialogs/model.ts';
import { clampTop, type Extent, placeWords } from '../dialogs/scroll.ts';
import { fitTo } from '../text/measure.ts';
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

/** `body` shows what a yes would mean, in rows that fit. */
type Confirmed = { question: string; body: readonly Line[] };

const TITLE_ROWS = 2;

function confirmExtent({ question, body }: Confirmed, frame: Frame): Extent {
  const room = Math.max(1, frame.rows - titleOf(question, frame).length - 1);
  return { total: body.length, page: body.length <= room ? body.length : Math.max(1, room - 1) };
}

function renderConfirm({ top }: ConfirmState, confirmed: Confirmed, frame: Frame): Line[] {
  const { look, columns, rows } = frame;
  const extent = confirmExtent(confirmed, frame);
  const first = clampTop(top, extent);
  const place = placeWords(first, extent);
  return [
    ...titleOf(confirmed.question, frame),
    ...confirmed.body.slice(first, first + extent.page),
    ...(place === null ? [] : [[span(fitTo(`${place} · ↑ ↓ PgUp PgDn`, columns), look.warn)]]),
    keyRow({ y: 'yes', n: 'no', esc: 'no' }, frame),
  ].slice(0, rows);
}

function titleOf(question: string, { look, columns }: Frame): Line[] {
  return rowsOf(visibleLine(question), columns, look.title).slice(0, TITLE_ROWS);
}
