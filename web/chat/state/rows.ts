import type { CallItem, Item } from './view.ts';

/** Files read and searches made in a row. `key` is that of the first. */
export type GroupRow = { type: 'group'; key: number; calls: readonly CallItem[] };

/** Groups by their first call, so that what has not changed is the same object. */
const known = new WeakMap<CallItem, GroupRow>();

/** What is shown as one row each: items, and groups of two or more calls that only look at something. */
export function rowsOf<Kind extends Item>(
  items: readonly Kind[],
  asked: ReadonlySet<string>,
): (Kind | GroupRow)[] {
  const rows: (Kind | GroupRow)[] = [];
  for (let index = 0; index < items.length; ) {
    const calls = lookingFrom(items, index, asked);
    const item = items[index];
    const [first] = calls;
    if (first && calls.length > 1) rows.push(groupOf(first, calls));
    else if (item) rows.push(item);
    index += Math.max(1, calls.length);
  }
  return rows;
}

function lookingFrom(items: readonly Item[], start: number, asked: ReadonlySet<string>): CallItem[] {
  const calls: CallItem[] = [];
  for (let index = start; ; index++) {
    const item = items[index];
    if (item?.type !== 'call' || !isLook(item) || asked.has(item.callId)) return calls;
    calls.push(item);
  }
}

/** A call that somebody decided about is shown by itself, with the decision. */
function isLook({ kind, decision, children }: CallItem): boolean {
  return (kind === 'read' || kind === 'search') && !decision && children.length === 0;
}

function groupOf(first: CallItem, calls: readonly CallItem[]): GroupRow {
  const before = known.get(first);
  const isSame = before?.calls.length === calls.length && before.calls.every((call, i) => call === calls[i]);
  if (before && isSame) return before;
  const group: GroupRow = { type: 'group', key: first.key, calls };
  known.set(first, group);
  return group;
}
