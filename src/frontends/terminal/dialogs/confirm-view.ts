import { visibleLine } from '../../../lib/text/visible-text.ts';
import { fitTo } from '../text/measure.ts';
import type { Line } from '../view/types.ts';
import type { ConfirmState } from './confirm.ts';
import { keyRow } from './footer.ts';
import { type Frame, rowsOf, span } from './look.ts';
import { clampTop, type Extent, placeWords } from './scroll.ts';

/** `body` shows what a yes would mean, in rows that fit. */
export type Confirmed = { question: string; body: readonly Line[] };

const TITLE_ROWS = 2;

export function confirmExtent({ question, body }: Confirmed, frame: Frame): Extent {
  const room = Math.max(1, frame.rows - titleOf(question, frame).length - 1);
  return { total: body.length, page: body.length <= room ? body.length : Math.max(1, room - 1) };
}

export function renderConfirm({ top }: ConfirmState, confirmed: Confirmed, frame: Frame): Line[] {
  const { look, columns, rows } = frame;
  const extent = confirmExtent(confirmed, frame);
  const first = clampTop(top, extent);
  const place = placeWords(first, extent);
  return [
    ...titleOf(confirmed.question, frame),
    ...confirmed.body.slice(first, first + extent.page),
    ...(place === null ? [] : [[span(fitTo(`${place} · ↑ ↓ PgUp PgDn`, columns), look.warn)]]),
    keyRow(
      [
        ['y', 'yes'],
        ['n', 'no'],
        ['Esc', 'no'],
      ],
      frame,
    ),
  ].slice(0, rows);
}

function titleOf(question: string, { look, columns }: Frame): Line[] {
  return rowsOf(visibleLine(question), columns, look.title).slice(0, TITLE_ROWS);
}
