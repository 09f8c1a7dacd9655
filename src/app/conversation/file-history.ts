import type { FileHistory } from '../../contract/command.ts';
import type { ChangeScope } from '../../contract/review.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';

/** A session's file changes as its commands see them. */
export function fileHistory(undo: UndoStore): FileHistory {
  return {
    async runs() {
      const runs = await undo.runs();
      return runs.map(({ at, changes }) => {
        const sure = changes.filter(({ doubt }) => doubt === undefined);
        return { at, paths: sure.map(({ path }) => path) };
      });
    },
    async undo(since) {
      if (since === undefined) return undo.previewUndo();
      const first = (await undo.runs()).find(({ at }) => at >= since);
      return first ? undo.previewUndo(first.index) : null;
    },
    redo: () => undo.previewRedo(),
    async changes(scope) {
      return undo.review(firstRun(await undo.runs(), scope));
    },
  };
}

/** Where a scope begins; beyond the last run if it has no changes. */
function firstRun(runs: Awaited<ReturnType<UndoStore['runs']>>, scope: ChangeScope): number {
  if (scope === 'session') return 0;
  const first =
    scope === 'run'
      ? runs.findLast(({ isReview }) => !isReview)
      : runs.find(({ at, isReview }) => !isReview && at >= scope.since);
  return first?.index ?? Number.POSITIVE_INFINITY;
}
