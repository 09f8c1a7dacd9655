import type { Change } from './file-state.ts';
import type { Objects } from './objects.ts';
import type { TreeLimits } from './tree-walk.ts';

export type UndoOptions = {
  /** The folder for everything: contents for all sessions of a project, and one log per session. */
  folder: string;
  sessionId: string;
  /** The folders that commands may change. */
  roots: readonly string[];
  /** Never scanned: our own data, which may be inside such a folder. */
  excluded?: readonly string[];
  limits?: TreeLimits;
  /** Size limit of `folder`. */
  quotaBytes?: number;
  /** Called once, when undo data cannot be stored. The change is still made. */
  onTrouble?(text: string): void;
  /** Called with every change that was recorded or found on disk. */
  onChange?(change: SeenChange): void;
};

/** A changed path. */
export type SeenChange = {
  path: string;
  existed: boolean;
  /** The content of a file before the change; null if there was none, or it is not stored. */
  before(): Uint8Array | null;
  /** Whether a call of this session made it. Otherwise the user did, or another program. */
  byCall: boolean;
};

/** `byCalls`: those of the changes that calls of this session made. */
export type ReportChanges = (changes: readonly Change[], byCalls: readonly Change[]) => void;

export function changeReporter(objects: Objects, onChange: UndoOptions['onChange']): ReportChanges {
  return (changes, byCalls) => {
    const called = new Set(byCalls.map((change) => change.path));
    for (const { path: file, before, after } of onChange ? changes : []) {
      if (before?.type !== 'file' && after?.type !== 'file') continue;
      const hash = before?.type === 'file' ? before.hash : null;
      onChange?.({
        path: file,
        existed: before !== null,
        before: () => (hash === null ? null : objects.get(hash)),
        byCall: called.has(file),
      });
    }
  };
}
