/** `kept` lists files that were left unchanged, and why. */
export type UndoReport = { restored: string[]; removed: string[]; kept: { path: string; because: string }[] };

/** A change that can be looked at and reverted on its own. */
export type ChangedHunk = {
  /** From its content: the same after changes elsewhere in the file. */
  id: string;
  /** `lines 3-9`, `new file`, `mode 644 → 755`. */
  what: string;
  /** A unified diff with its heading and lines around it; empty if the change is not in lines. */
  patch: string;
  /** Null if the change is not in lines. */
  lines: ChangedLines | null;
  added: number;
  removed: number;
};

/** The lines before and after, with their ends. A line number counts from 1; without lines, it is the next one. */
type ChangedLines = { oldStart: number; oldText: string; newStart: number; newText: string };

export type ChangedFile = {
  path: string;
  change: 'new' | 'deleted' | 'changed';
  added: number;
  removed: number;
  /** Empty if nothing of it can be reverted: then a note says why. */
  hunks: ChangedHunk[];
  /** For the user: what cannot be reverted, or may have been changed by somebody else. */
  notes: string[];
};

/** One hunk by its index, or the whole file. */
export type ChosenChange = { path: string; hunk?: number };

/** What is left of the changes of some runs, compared with the files as they are now. */
export type ChangeReview = {
  files: ChangedFile[];
  /**
   * Takes changes back, together; `/undo` brings them back. Files that were changed since they were listed
   * are left alone.
   */
  revert(chosen: readonly ChosenChange[]): Promise<UndoReport>;
  /** The files stay as they are, and these changes are no longer listed. */
  accept(chosen: readonly ChosenChange[]): Promise<void>;
  /** The text of a file without its changes. Null if it would not exist, or is not a text. */
  original(path: string): string | null;
};

/** The last run that changed files, the whole session, or everything since a time. */
export type ChangeScope = 'run' | 'session' | { since: string };
