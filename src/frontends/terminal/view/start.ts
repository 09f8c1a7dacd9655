import type { StartFacts } from '../early/start-rows.ts';
import type { View } from './types.ts';

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
  return { ...view, start: null, finished: [...view.finished, { type: 'start', facts }] };
}
