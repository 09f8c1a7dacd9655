import type { Key } from '../view/types.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

/** One row of a list. `words` is searched in addition to the visible text. */
export type PickItem = {
  id: string;
  label: string;
  detail?: string;
  words?: string;
  /** Rows of a group stand together, under its name. */
  group?: string;
  /** The current one. */
  current?: true;
};

/** A key with another action on the selected row, such as `f` for forget. */
export type PickAction = { key: string; ctrl?: true; does: string; name: string };

export type PickerState = {
  /** Null if letters are action keys instead of a search. */
  query: TextLine | null;
  selected: number;
};

export type PickerStep =
  | { type: 'state'; state: PickerState }
  | { type: 'picked'; id: string }
  | { type: 'acted'; action: string; id: string }
  | { type: 'closed' };

/** The data of a picker, besides its state. */
export type PickList = { items: readonly PickItem[]; actions?: readonly PickAction[]; page: number };

export function openPicker(
  items: readonly PickItem[],
  { search }: { search: 'typed' | 'none' },
): PickerState {
  const current = items.findIndex((item) => item.current);
  return { query: search === 'typed' ? emptyLine : null, selected: Math.max(0, current) };
}

/** Items that contain every word of the query, in order; prefix matches come first. */
export function matching(items: readonly PickItem[], query: string): PickItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const [first = ''] = words;
  const found = items.filter(({ label, detail = '', words: more = '' }) => {
    const text = `${label}\n${detail}\n${more}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const begins = ({ label }: PickItem) => first !== '' && label.toLowerCase().startsWith(first);
  return [...found.filter(begins), ...found.filter((item) => !begins(item))];
}

/** Rows found by a search beyond the visible text. */
export type Found = { query: string; items: readonly PickItem[] };

/** Results are used only for the query they were found for, and rows already listed are not repeated. */
export function withFound(known: readonly PickItem[], found: Found, { query }: PickerState): PickItem[] {
  const wanted = query?.text.trim() ?? '';
  if (wanted === '' || wanted !== found.query) return [...known];
  const seen = matching(known, wanted);
  const ids = new Set(seen.map(({ id }) => id));
  const deeper = found.items.filter(({ id }) => !ids.has(id));
  return [...seen, ...deeper.map((item) => ({ ...item, words: `${item.words ?? ''}\n${wanted}` }))];
}

/** The items currently listed. */
export function listed({ query }: PickerState, items: readonly PickItem[]): PickItem[] {
  const found = query === null ? [...items] : matching(items, query.text);
  const groups = new Set(found.map(({ group }) => group));
  return groups.size < 2 ? found : [...groups].flatMap((name) => found.filter(({ group }) => group === name));
}

/** Handles one key. A list that has become shorter keeps a row selected. */
export function pressPicker(state: PickerState, key: Key, list: PickList): PickerStep {
  const items = listed(state, list.items);
  const selected = Math.max(0, Math.min(state.selected, items.length - 1));
  if (key.type === 'key') {
    if (key.name === 'escape' || (key.ctrl && key.name === 'c')) return { type: 'closed' };
    const chosen = items[selected];
    if (key.name === 'return') return chosen ? { type: 'picked', id: chosen.id } : same(state);
    const action = list.actions?.find((one) => one.key === key.name && (one.ctrl ?? false) === key.ctrl);
    if (action && !key.alt)
      return chosen ? { type: 'acted', action: action.name, id: chosen.id } : same(state);
    const to = movedTo(selected, key, { total: items.length, page: list.page });
    if (to !== null) return { type: 'state', state: { ...state, selected: to } };
  }
  const query = state.query && edited(state.query, key);
  if (!query) return same(state);
  return { type: 'state', state: { query, selected: query.text === state.query?.text ? selected : 0 } };
}

function same(state: PickerState): PickerStep {
  return { type: 'state', state };
}

/** Wraps around at both ends. */
function movedTo(
  selected: number,
  key: Extract<Key, { type: 'key' }>,
  { total, page }: { total: number; page: number },
): number | null {
  const last = Math.max(0, total - 1);
  const name = key.ctrl
    ? { p: 'up', n: 'down' }[key.name]
    : key.name === 'tab'
      ? tabWay(key.shift)
      : key.name;
  switch (name) {
    case 'up':
      return selected === 0 ? last : selected - 1;
    case 'down':
      return selected === last ? 0 : selected + 1;
    case 'pageup':
      return Math.max(0, selected - page);
    case 'pagedown':
      return Math.min(last, selected + page);
    default:
      return null;
  }
}

function tabWay(shift: boolean): string {
  return shift ? 'up' : 'down';
}
