import { gitStateOf } from './git-state.ts';
import type { Objects } from './objects.ts';
import type { RunInfo, UndoRecord } from './undo-log.ts';
import type { UndoOptions } from './undo-options.ts';

/** What is logged when a run starts: the run, and the state of the repository if there is one. */
export function recordsOfRun(
  run: RunInfo | undefined,
  { roots: [root = ''] }: Pick<UndoOptions, 'roots'>,
  objects: Objects,
): UndoRecord[] {
  if (!run) return [];
  const state = gitStateOf(root, objects);
  objects.flush();
  return [{ type: 'run', ...run }, ...(state ? [{ type: 'git' as const, state }] : [])];
}
