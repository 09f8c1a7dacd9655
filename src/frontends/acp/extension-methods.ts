import type { ChangedFile, ChangedHunk, UndoReport } from '../../contract/review.ts';

/**
 * What this agent offers beyond the protocol, advertised in `agentCapabilities._meta.aca`. Names and types only, so that
 * clients can use this file as it is.
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
/**
 * In `clientCapabilities._meta`. `subagents`: their calls are sent, with the call that started them in `_meta.aca.parent`.
 * `options`: it shows the options of a permission request by their names, so that several may have one kind.
 */
export type ClientExtensions = { aca?: { changes?: boolean; subagents?: boolean; options?: boolean } };

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

/** With absolute paths, as in all these requests. */
export type FileChanges = ChangedFile;
export type HunkChange = ChangedHunk;
export type RestoredFiles = UndoReport;

/** The files are not what was listed: nothing was changed. Ask for the list again. */
export const CONFLICT_CODE = -32009;
/** The session is working: wait for it, or cancel. */
export const BUSY_CODE = -32010;
