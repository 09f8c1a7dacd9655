import { applySteps } from '../undo/apply.ts';
import { inspect, isSame } from '../undo/file-state.ts';
import type { Objects } from '../undo/objects.ts';
import { brought, type Step } from '../undo/plan.ts';
import { changesIn, statesAtStart, type UndoRecord } from '../undo/undo-log.ts';

/** `placed` are files, without their folders; `kept` are those that are left as they are, and why. */
export type PlacedFiles = { placed: string[]; kept: { path: string; because: string }[] };

/**
 * Brings files into the state in which an imported session left them: those that are missing, and those that are as they
 * were at its start.
 */
export async function placeFiles(records: readonly UndoRecord[], objects: Objects): Promise<PlacedFiles> {
  const start = statesAtStart(records);
  const end = new Map(start);
  for (const record of records) for (const { path: file, after } of changesIn(record)) end.set(file, after);
  const steps: Step[] = [];
  const kept: PlacedFiles['kept'] = [];
  for (const [file, state] of end) {
    const now = inspect(file);
    if (isSame(now?.state ?? null, state)) continue;
    const next = state && brought(state, now, objects);
    if (typeof next === 'string') kept.push({ path: file, because: next });
    else if (now === null || isSame(now.state, start.get(file) ?? null))
      steps.push({ path: file, now, next });
    else kept.push({ path: file, because: 'it is neither as it was before the session nor as after it' });
  }
  const applied = await applySteps(steps);
  return {
    placed: applied.changes.flatMap(({ path: file, after }) => (after?.type === 'folder' ? [] : [file])),
    kept: [...kept, ...applied.kept],
  };
}
