import type { Exploration } from '../../../contract/display.ts';
import { endStart, gapBefore } from './start.ts';
import type { ExploredCall, Item, LiveCall, View } from './types.ts';

/** Adds a finished item; what was explored before it comes first. */
export function addItem(view: View, item: Item): View {
  return append(endExploration(view), [item]);
}

/** Adds the items of an earlier conversation, as if they had finished one after the other. */
export function addItems(view: View, items: readonly Item[]): View {
  const add = (so: View, item: Item) => (isExplored(item) ? explore(so, item) : addItem(so, item));
  return endExploration(items.reduce(add, view));
}

/** Adds a failed call of an exploration, which stays open: it would only be split. */
export function addBeside(view: View, item: Item): View {
  return append(view, [item]);
}

/** A finished read-only call, or a thought between two of them. */
export function explore(view: View, step: View['explored'][number]): View {
  return { ...view, explored: [...view.explored, step] };
}

/** Several calls become one item; a single one stays itself. Thoughts after the last call follow on their own. */
export function endExploration(view: View): View {
  const { explored } = view;
  const calls = explored.filter((step) => step.type === 'call');
  if (calls.length === 0) return view;
  const end = explored.findLastIndex((step) => step.type === 'call') + 1;
  const steps = explored.slice(0, end);
  const together: readonly Item[] = calls.length === 1 ? steps : [{ type: 'explored', steps, folded: true }];
  return append({ ...view, explored: [] }, [...together, ...explored.slice(end)]);
}

export function isExploring(call: LiveCall): call is LiveCall & { explores: Exploration } {
  return call.explores !== undefined && !call.ended;
}

export function isExplored(item: Item): item is ExploredCall {
  return item.type === 'call' && item.explores !== undefined;
}

function append(view: View, items: readonly Item[]): View {
  const begun = endStart(view);
  const finished = [...begun.finished, ...gapBefore(items[0], begun), ...items];
  return { ...begun, isAfterStart: false, finished };
}
