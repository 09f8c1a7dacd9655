/**
 * What this agent offers beyond the protocol, advertised in `agentCapabilities._meta.aca`. Names and types
 * without imports, so that clients can use this file as it is.
 */
export const extensionMethods = {
  /** What is left of the changes of the session, compared with the files as they are now. */
  listChanges: '_aca/changes/list',
  /** The text of a file without the changes of the session, for a diff. */
  originalText: '_aca/changes/original',
  revertChanges: '_aca/changes/revert',
  acceptChanges: '_aca/changes/accept',
  /** Takes back the file changes of the last run that made any. */
  undo: '_aca/undo',
  redo: '_aca/redo',
  completeFile: '_aca/files/complete',
} as const;

/** Sent to clients with `clientCapabilities._meta.aca.changes` when the list of changes may differ. */
export const CHANGES_CHANGED = '_aca/changes/changed';

/** In `agentCapabilities._meta`. */
export type AgentExtensions = { aca: { changes: true; undo: true; completeFiles: true } };
/** In `clientCapabilities._meta`. `subagents`: their calls are sent, with the call that started them in `_meta.aca.parent`. */
export type ClientExtensions = { aca?: { changes?: boolean; subagents?: boolean } };

type OfSession = { sessionId: string };

/** Parameters and result of each request. */
export type ExtensionRequests = {
  '_aca/changes/list': { params: OfSession; result: { files: FileChanges[] } };
  '_aca/changes/original': { params: OfSession & { path: string }; result: { text: string | null } };
  '_aca/changes/revert': { params: OfSession & ChosenChanges; result: RestoredFiles };
  '_aca/changes/accept': { params: OfSession & ChosenChanges; result: Record<string, never> };
  '_aca/undo': { params: OfSession; result: RestoredFiles };
  '_aca/redo': { params: OfSession; result: RestoredFiles };
  '_aca/files/complete': { params: OfSession & FileQuery; result: { paths: string[] } };
};

export type ChangesChanged = OfSession;

/** What was typed after `@`. The answer has the best first, relative to the session's folder; folders end with `/`. */
export type FileQuery = { query: string; limit?: number | undefined };

/** All files, all hunks of a file, or some of them. */
export type ChosenChanges = { path?: string | undefined; hunks?: string[] | undefined };

export type FileChanges = {
  /** Absolute. */
  path: string;
  change: 'new' | 'deleted' | 'changed';
  added: number;
  removed: number;
  /** Empty if nothing of it can be reverted: then a note says why. */
  hunks: HunkChange[];
  /** For the user. */
  notes: string[];
};

export type HunkChange = {
  /** From its content: the same after changes elsewhere in the file. */
  id: string;
  /** `lines 3-9`, `new file`, `mode 644 → 755`. */
  what: string;
  /** A unified diff with its heading and lines around it; empty if the change is not in lines. */
  patch: string;
  added: number;
  removed: number;
  /**
   * The lines before and after, with their ends; null if the change is not in lines. Line numbers count from 1. If
   * a text is empty, its number is that of the next line.
   */
  lines: { oldStart: number; oldText: string; newStart: number; newText: string } | null;
};

/** `kept` lists files that were left unchanged, and why. All paths are absolute. */
export type RestoredFiles = {
  restored: string[];
  removed: string[];
  kept: { path: string; because: string }[];
};

/** The files are not what was listed: nothing was changed. Ask for the list again. */
export const CONFLICT_CODE = -32009;
/** The session is working: wait for it, or cancel. */
export const BUSY_CODE = -32010;
