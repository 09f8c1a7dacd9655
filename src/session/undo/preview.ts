import type { PendingFile, PendingUndo } from '../../contract/command.ts';
import { diffOf } from '../../lib/text/diff-lines.ts';
import { type Change, type Found, isSame } from './file-state.ts';
import type { Objects } from './objects.ts';
import { type Plan, planBack, type Step } from './plan.ts';

export async function countsOf({ path: file, now, next }: Step): Promise<PendingFile> {
  const change = next ? ('restore' as const) : ('remove' as const);
  const texts = [now, next].map((found) => (isText(found) ? (found?.bytes.toString('utf8') ?? '') : null));
  const [before = null, after = null] = texts;
  if (before === null || after === null) return { path: file, change, added: 0, removed: 0 };
  const { added, removed } = await diffOf(file, before, after);
  return { path: file, change, added, removed };
}

function isText(found: Found | null): boolean {
  return found === null || (found.state.type === 'file' && !found.bytes.includes(0));
}

/** What would also be undone if its author were certain. */
export async function uncertainOf(
  changes: readonly Change[],
  plan: Plan,
  objects: Objects,
): Promise<PendingUndo['uncertain']> {
  const doubts = new Map(
    changes.flatMap(({ path: file, doubt }) => (doubt === undefined ? [] : [[file, doubt] as const])),
  );
  if (doubts.size === 0) return [];
  const planned = new Map(plan.steps.map(({ path: file, next }) => [file, next?.state ?? null]));
  const { steps } = await planBack(changes, objects);
  const more = steps.filter(({ path: file, next }) => {
    const sure = planned.get(file);
    return doubts.has(file) && (sure === undefined || !isSame(sure, next?.state ?? null));
  });
  return Promise.all(
    more.map(async (step) => ({ ...(await countsOf(step)), because: doubts.get(step.path) ?? '' })),
  );
}
