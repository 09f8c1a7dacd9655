import { fitTo } from '../text/measure.ts';
import { widthOfLine } from '../text/wrap.ts';
import type { Line } from '../view/types.ts';
import type { Choice, ChoiceState } from './choices.ts';
import { choiceRows, inputRow, keyRow } from './footer.ts';
import { type Frame, rowsOf, span, textOfLine } from './look.ts';
import { clampTop, type Extent, placeWords } from './scroll.ts';

/** A question, a body that scrolls, and the choices. */
export type Panel = {
  title: string;
  /** Right of the title, such as `1 of 3`. */
  aside: string;
  choices: readonly Choice[];
  /** What Esc does. */
  esc: string;
  /** In rows that fit the space of `bodyFrame`. */
  body(inner: Frame): readonly Line[];
};

const TITLE_ROWS = 2;
export const MIN_COLUMNS = 40;
/** Rows that the body of a framed panel has at least. */
const MIN_BODY = 3;
/** The frame's own rows, and the empty row above the choices. */
const FRAME_ROWS = 3;
/** Columns that the frame takes. */
export const SIDES = 4;

/** A frame around rows; each fits `columns - 4`. */
export function framed(lines: readonly Line[], { columns, look }: Frame): Line[] {
  const rule = '─'.repeat(Math.max(0, columns - 2));
  const side = (text: string) => span(text, look.border);
  const rows = lines.map((line): Line => {
    const blank = ' '.repeat(Math.max(0, columns - SIDES - widthOfLine(line)));
    return [side('│ '), ...line, side(`${blank} │`)];
  });
  return [[side(`╭${rule}╮`)], ...rows, [side(`╰${rule}╯`)]];
}

/** Vertical list of numbered rows; `❯` marks the selected one. */
export function listRows(
  rows: readonly string[],
  selected: number | null,
  { columns, look }: Frame,
): Line[][] {
  return rows.map((words, i) => {
    const mark = i === selected ? '❯ ' : '  ';
    const number = `${i + 1}. `;
    const indent = mark.length + number.length;
    const style = i === selected ? look.chosen : look.plain;
    return rowsOf(words, columns - indent, {}).map((row, n) => [
      span(n === 0 ? mark : '  ', look.accent),
      span(`${n === 0 ? number : ' '.repeat(number.length)}${textOfLine(row)}`, style),
    ]);
  });
}

type Layout = {
  isFramed: boolean;
  inner: Frame;
  head: Line[];
  foot: Line[];
  page: Extent;
  body: readonly Line[];
};

function layoutOf(panel: Panel, state: ChoiceState, frame: Frame): Layout {
  const inside = { ...frame, columns: frame.columns - SIDES };
  const head = headRows(panel, inside);
  const foot = footRows(panel, state, inside);
  const isFramed =
    frame.columns >= MIN_COLUMNS && frame.rows >= FRAME_ROWS + head.length + foot.length + MIN_BODY;
  if (isFramed) {
    const room = frame.rows - FRAME_ROWS - head.length - foot.length;
    const body = panel.body({ ...inside, rows: room });
    return { isFramed, inner: inside, head, foot, body, page: extentOf(body, room) };
  }
  const bare = headRows(panel, frame);
  const keys = compactRows(panel, state, frame);
  const room = Math.max(1, frame.rows - bare.length - keys.length);
  const body = panel.body({ ...frame, rows: room });
  return { isFramed, inner: frame, head: bare, foot: keys, body, page: extentOf(body, room) };
}

/** The position row is needed only when not everything is visible. */
function extentOf({ length: total }: readonly Line[], room: number): Extent {
  return { total, page: total <= room ? total : Math.max(1, room - 1) };
}

export function panelExtent(panel: Panel, state: ChoiceState, frame: Frame): Extent {
  return layoutOf(panel, state, frame).page;
}

/** Whether the last row of the body is visible. */
export function isEndSeen(panel: Panel, state: ChoiceState, frame: Frame): boolean {
  const extent = panelExtent(panel, state, frame);
  return clampTop(state.top, extent) + extent.page >= extent.total;
}

/** Never more rows than available, always with the question and its choices. */
export function renderPanel(panel: Panel, state: ChoiceState, frame: Frame): Line[] {
  const { isFramed, inner, head, foot, body, page } = layoutOf(panel, state, frame);
  const { look, columns } = inner;
  const top = clampTop(state.top, page);
  const place = placeWords(top, page);
  const isUnread = state.refused === 'unread';
  const note = isUnread ? `Scroll to the end first (end) · ${place}` : `${place} · pgdn, end to scroll`;
  const lines = [
    ...head,
    ...body.slice(top, top + page.page),
    ...(place === null ? [] : [[span(fitTo(note, columns), isUnread ? look.danger : look.warn)]]),
    ...(isFramed ? [[]] : []),
    ...foot,
  ];
  return (isFramed ? framed(lines, frame) : lines).slice(0, frame.rows);
}

function headRows({ title, aside }: Panel, { columns, look }: Frame): Line[] {
  const room = aside === '' ? columns : Math.max(10, columns - aside.length - 2);
  const rows = rowsOf(title, room, {}).map(textOfLine);
  return rows.slice(0, TITLE_ROWS).map((text, i) => {
    const isCut = i === TITLE_ROWS - 1 && rows.length > TITLE_ROWS;
    const shown = isCut ? fitTo(`${text} …`, room) : text;
    if (i > 0 || aside === '') return [span(shown, look.title)];
    const gap = ' '.repeat(Math.max(1, columns - widthOfLine([{ text: shown }]) - aside.length));
    return [span(shown, look.title), span(`${gap}${aside}`, look.quiet)];
  });
}

/** Whether the title was shortened: it must then be shown in the body. */
export function isTitleCut(title: string, columns: number): boolean {
  return rowsOf(title, columns, {}).length > TITLE_ROWS;
}

function footRows(panel: Panel, state: ChoiceState, frame: Frame): Line[] {
  if (state.typing) return typingRows(state.typing, frame);
  const { choices, esc } = panel;
  const list = listRows(
    choices.map(({ words }) => words),
    state.selected,
    frame,
  );
  const keys = `↑↓ or 1-${choices.length}`;
  const hints = keyRow({ [keys]: 'select', enter: 'answer', esc }, frame);
  const first: Line = [span(fitTo(`Select an answer first (${keys})`, frame.columns), frame.look.danger)];
  return [...list.flat(), state.refused === 'unselected' ? first : hints];
}

function compactRows({ choices }: Panel, state: ChoiceState, frame: Frame): Line[] {
  if (state.typing) return typingRows(state.typing, frame);
  return choiceRows(
    choices.map(({ short }) => short),
    state.selected,
    frame,
  );
}

function typingRows({ label, line }: NonNullable<ChoiceState['typing']>, frame: Frame): Line[] {
  return [inputRow(label, line, frame), keyRow({ enter: 'send', esc: 'back' }, frame)];
}
