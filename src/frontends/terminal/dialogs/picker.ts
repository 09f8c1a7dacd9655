import type { Key } from '../view/types.ts';
import { edited, emptyLine, type TextLine } from './text-line.ts';

/** One row of a list. `words` is what a search looks through beside what is seen. */
export type PickItem = {
  id: string;
  label: string;
  detail?: string;
  words?: string;
  /** The one in use. */
  current?: true;
};

/** A key that does something else with the chosen row than taking it, such as `f` for forgetting. */
export type PickAction = { key: string; ctrl?: true; does: string; name: string };

export type PickerState = {
  /** Null where letters are keys and not a search. */
  query: TextLine | null;
  selected: number;
};

export type PickerStep =
  | { type: 'state'; state: PickerState }
  | { type: 'picked'; id: string }
  | { type: 'acted'; action: string; id: string }
  | { type: 'closed' };

/** What a picker is made of, beside its state. */
export type PickList = { items: readonly PickItem[]; actions?: readonly PickAction[]; page: number };

export function openPicker(
  items: readonly PickItem[],
  { search }: { search: 'typed' | 'none' },
): PickerState {
  const current = items.findIndex((item) => item.current);
  return { query: search === 'typed' ? emptyLine : null, selected: Math.max(0, current) };
}

/** Those that hold every word of the search, in their order; those that begin with it before the others. */
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

/** Rows that a search found by looking deeper than what is seen. */
export type Found = { query: string; items: readonly PickItem[] };

/** What was found counts as long as the search is the same; a row that is listed anyway is not listed twice. */
export function withFound(known: readonly PickItem[], found: Found, { query }: PickerState): PickItem[] {
  const wanted = query?.text.trim() ?? '';
  if (wanted === '' || wanted !== found.query) return [...known];
  const seen = matching(known, wanted);
  const ids = new Set(seen.map(({ id }) => id));
  const deeper = found.items.filter(({ id }) => !ids.has(id));
  return [...seen, ...deeper.map((item) => ({ ...item, words: `${item.words ?? ''}\n${wanted}` }))];
}

/** Those that are listed now. */
export function listed({ query }: PickerState, items: readonly PickItem[]): PickItem[] {
  return query === null ? [...items] : matching(items, query.text);
}

/** One key. A list that has become shorter keeps a row selected. */
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

/** Up from the first leads to the last, and down from the last to the first. */
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
