import { visibleLine } from '../../../lib/text/visible-text.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import type { Line } from '../view/types.ts';
import { inputRow, keyRow } from './footer.ts';
import { type Frame, span } from './look.ts';
import { listed, type PickAction, type PickerState, type PickItem } from './picker.ts';

/** The texts around the list. */
export type PickerText = {
  title: string;
  /** Shown instead of an empty list. */
  none: string;
  /** Label for Enter. */
  takes: string;
  /** Label for Esc, if it does more than close the list. */
  leaves?: string;
  actions?: readonly PickAction[];
};

const MARK_WIDTH = 3;

/** With fewer rows than this there is no preview. */
const ROOM_FOR_PREVIEW = 16;

/** Below this width the second column is left out: the preview and the search still include it. */
const ROOM_FOR_DETAIL = 60;

/** How many rows the list has. */
export function pickerPage(
  state: PickerState,
  { rows }: Pick<Frame, 'rows'>,
  preview: 'shown' | 'none',
): number {
  const fixed = state.query === null ? 2 : 3;
  const room = Math.max(1, rows - fixed);
  return preview === 'shown' && rows >= ROOM_FOR_PREVIEW ? Math.ceil(room / 2) : room;
}

type Filled = { items: readonly PickItem[]; text: PickerText; preview: readonly Line[] | null };

/** The whole picker: never more rows than available. */
export function renderPicker(state: PickerState, { items, text, preview }: Filled, frame: Frame): Line[] {
  const { look, columns, rows } = frame;
  const found = listed(state, items);
  const page = pickerPage(state, frame, preview === null ? 'none' : 'shown');
  const selected = Math.max(0, Math.min(state.selected, found.length - 1));
  const all = withHeadings(found);
  const chosen = found[selected];
  const middle = chosen ? all.indexOf(chosen) : 0;
  const first = Math.max(0, Math.min(middle - Math.floor(page / 2), all.length - page));
  const shown = all.slice(first, first + page);
  const count = all.length > page ? ` (${selected + 1} of ${found.length})` : '';
  const width = labelWidth(found, columns);
  const list = shown.map((row) =>
    typeof row === 'string'
      ? [span(fitTo(visibleLine(row), columns), look.quiet)]
      : itemRow(row, width, { frame, chosen: row === chosen }),
  );
  const nothing = items.length === 0 ? text.none : 'No matches. Press Backspace to edit the search.';
  const actions = (text.actions ?? []).map(({ key, ctrl, does }) => [ctrl ? `ctrl+${key}` : key, does]);
  const keys = { enter: text.takes, ...Object.fromEntries(actions), esc: text.leaves ?? 'close' };
  const glimpse = preview !== null && rows >= ROOM_FOR_PREVIEW ? preview : [];
  const fixed = state.query === null ? 2 : 3;
  return [
    [span(fitTo(`${text.title}${count}`, columns), look.title)],
    ...(state.query === null ? [] : [inputRow('Search: ', state.query, frame)]),
    ...(list.length > 0 ? list : [[span(fitTo(nothing, columns), look.quiet)]]),
    ...glimpse.slice(0, Math.max(0, rows - fixed - Math.max(1, list.length))),
    keyRow(keys, frame),
  ].slice(0, rows);
}

/** Each group after its name. */
function withHeadings(items: readonly PickItem[]): (PickItem | string)[] {
  return items.flatMap((item, i) =>
    item.group !== undefined && item.group !== items[i - 1]?.group ? [item.group, item] : [item],
  );
}

function itemRow(item: PickItem, width: number, { frame, chosen }: { frame: Frame; chosen: boolean }): Line {
  const { look, columns } = frame;
  const mark = `${chosen ? '❯' : ' '}${item.current ? '*' : ' '} `;
  const label = fitTo(visibleLine(item.label), columns - mark.length);
  const style = chosen ? look.chosen : look.plain;
  const room = columns - mark.length - width - 2;
  if (item.detail === undefined || columns < ROOM_FOR_DETAIL || room < 8) return [span(mark + label, style)];
  return [
    span(mark + padded(fitTo(label, width), width), style),
    span(`  ${fitTo(visibleLine(item.detail), room)}`, look.quiet),
  ];
}

/** As wide as the widest label; details get what they need, or at least two fifths of the row. */
function labelWidth(items: readonly PickItem[], columns: number): number {
  const widest = (texts: readonly string[]) =>
    Math.max(0, ...texts.map((text) => widthOf(visibleLine(text))));
  const details = widest(items.map(({ detail = '' }) => detail));
  const room = Math.max(Math.floor(columns * 0.6), columns - MARK_WIDTH - 2 - details);
  const labels = items.filter(({ detail }) => detail !== undefined).map(({ label }) => label);
  return Math.min(widest(labels), room);
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}
