import type { StartFacts } from '../early/start-rows.ts';
import type { Item, View } from './types.ts';

/** The first rows stay open until all of their facts are known; then they are finished. */
export function learnStart(view: View, facts: Partial<StartFacts>): View {
  if (!view.start) return view;
  const start = { ...view.start, ...facts };
  const isComplete = start.model !== undefined && start.branch !== undefined;
  return isComplete ? endStart({ ...view, start }) : { ...view, start };
}

/** Before anything else is finished, the first rows are, whatever is known by then. */
export function endStart(view: View): View {
  const { start: facts } = view;
  if (!facts) return view;
  const finished: readonly Item[] = [...view.finished, { type: 'start', facts }];
  return { ...view, start: null, isAfterStart: true, finished };
}

/** An empty row between the first rows and what does not begin with one itself. */
export function gapBefore(item: Item | undefined, { isAfterStart }: View): Item[] {
  const isTight = item?.type === 'printed' || item?.type === 'notice' || item?.type === 'drawn';
  return isAfterStart && isTight ? [{ type: 'printed', text: '' }] : [];
}
