import { closeSync, fdatasyncSync, writeSync } from 'node:fs';
import path from 'node:path';
import { readJsonLines, toJsonLines } from '../../lib/files/json-lines.ts';
import { isObject } from '../../lib/text/json.ts';
import { openForAppend } from '../journal.ts';
import { type Change, type FileState, statIfAny } from './file-state.ts';
import type { GitState } from './git-state.ts';

/**
 * Identifies a run: its start time, its prompt, and the prompt's position in the conversation. `isReview`: not
 * a run of the model, but changes that the user took back.
 */
export type RunInfo = { at: string; prompt: string; message: number; isReview?: true };

export type UndoRecord =
  | ({ type: 'run' } & RunInfo)
  /** Follows a run in a repository. */
  | { type: 'git'; state: GitState }
  | ({ type: 'change' } & Change)
  /** A command that may change anything starts; its changes are known when it has ended. */
  | { type: 'command' }
  /** `run` is its index, the last one by default. */
  | { type: 'command_end'; changes: Change[]; run?: number }
  /** What a background command has changed so far. */
  | { type: 'found'; changes: Change[]; run: number }
  | { type: 'undone'; runs: number[]; changes: Change[] }
  | { type: 'redone'; changes: Change[] }
  /** Of everything that the session has changed so far in this path, only this is still to be reviewed. */
  | ({ type: 'accepted'; at: string } & Change)
  /** Contents that were left out of an imported session because they contain secrets. */
  | { type: 'withheld'; files: { path: string; hash: string | null }[] }
  /** The working directory at the start of an imported session. */
  | { type: 'start'; files: FileAtStart[] };

export type FileAtStart = { path: string; state: FileState };

/** `git` is the state of the repository when it started, if there was one. */
export type LoggedRun = RunInfo & { index: number; changes: Change[]; undone: boolean; git?: GitState };

/** `undone` can be redone: empty once another run has changed something. */
export type UndoHistory = {
  runs: LoggedRun[];
  undone: { runs: number[]; changes: Change[] }[];
  /** Runs with unfinished commands, once per command. */
  open: number[];
  /** By path: what is left to review of the changes that it covers. */
  accepted: Map<string, { at: string; change: Change; covered: Set<Change> }>;
  /** By hash. */
  withheld: Set<string>;
  /** Null unless it was imported. */
  start: FileAtStart[] | null;
};

/** A session's log. Read once, and again only if another process has written to it. */
export class UndoLog {
  readonly #file: string;
  #history = emptyHistory();
  #size = 0;

  constructor(file: string) {
    this.#file = file;
  }

  get history(): UndoHistory {
    const size = statIfAny(this.#file)?.size ?? 0;
    if (size !== this.#size) {
      this.#history = readHistory(this.#file);
      this.#size = size;
    }
    return this.#history;
  }

  append(records: readonly UndoRecord[]): void {
    if (records.length === 0) return;
    const { history } = this;
    const written = appendRecords(this.#file, records);
    for (const record of records) fold(history, record);
    this.#size += written;
  }
}

/** Synced to disk on return. */
function appendRecords(file: string, records: readonly UndoRecord[]): number {
  const descriptor = openForAppend(file);
  try {
    const lines = Buffer.from(toJsonLines(records));
    if (writeSync(descriptor, lines) < lines.length)
      throw Object.assign(new Error('only part of the line was written to disk'), { code: 'ENOSPC' });
    fdatasyncSync(descriptor);
    return lines.length;
  } finally {
    closeSync(descriptor);
  }
}

/** The states that paths get; null for nothing. */
export type States = Map<string, FileState | null>;

/** As far as a log knows: files that came with the session, and the state before the first change of every path. */
export function statesAtStart(records: readonly UndoRecord[]): States {
  const states: States = new Map();
  for (const record of records)
    if (record.type === 'start') for (const { path: file, state } of record.files) states.set(file, state);
  const seen = new Set<string>();
  for (const { path: file, before } of records.flatMap(changesIn)) {
    if (!seen.has(file)) states.set(file, before);
    seen.add(file);
  }
  return states;
}

export function changesIn(record: UndoRecord): readonly Change[] {
  switch (record.type) {
    case 'change':
      return [record];
    case 'command_end':
    case 'found':
    case 'undone':
    case 'redone':
      return record.changes;
    default:
      return [];
  }
}

/** Of the last run, or of all that began at a time or later and are not undone; none for null. */
export function changesFrom({ runs }: UndoHistory, from: 'last' | string | null): Change[] {
  if (from === null) return [];
  const wanted = from === 'last' ? runs.slice(-1) : runs.filter(({ at, undone }) => at >= from && !undone);
  return wanted.flatMap(({ changes }) => changes);
}

export function readHistory(file: string): UndoHistory {
  return foldHistory(readUndoRecords(file));
}

export function readUndoRecords(file: string): UndoRecord[] {
  return readJsonLines(file).filter(isRecord);
}

export function foldHistory(records: readonly UndoRecord[]): UndoHistory {
  const history = emptyHistory();
  for (const record of records) fold(history, record);
  return history;
}

function emptyHistory(): UndoHistory {
  return { runs: [], undone: [], open: [], accepted: new Map(), withheld: new Set(), start: null };
}

function fold(history: UndoHistory, record: UndoRecord): void {
  switch (record.type) {
    case 'run':
      history.runs.push({ ...record, index: history.runs.length, changes: [], undone: false });
      break;
    case 'git': {
      const run = history.runs.at(-1);
      if (run) run.git = record.state;
      break;
    }
    case 'change': {
      const { path: file, before, after } = record;
      addChanges(history, lastRun(history), [{ path: file, before, after }]);
      break;
    }
    case 'command':
      history.open.push(lastRun(history));
      break;
    case 'command_end': {
      const { run = history.open.at(-1) ?? lastRun(history), changes } = record;
      const at = history.open.lastIndexOf(run);
      if (at >= 0) history.open.splice(at, 1);
      addChanges(history, run, changes);
      break;
    }
    case 'found':
      addChanges(history, record.run, record.changes);
      break;
    case 'undone':
      for (const index of record.runs) markUndone(history, index, true);
      // A run that was only skipped leaves nothing to redo, and must not block earlier ones.
      if (record.changes.length > 0) history.undone.push({ runs: record.runs, changes: record.changes });
      break;
    case 'redone':
      for (const index of history.undone.pop()?.runs ?? []) markUndone(history, index, false);
      break;
    case 'accepted': {
      const { at, path: file, before, after } = record;
      const made = history.runs.flatMap(({ changes }) => changes.filter((change) => change.path === file));
      history.accepted.set(file, { at, change: { path: file, before, after }, covered: new Set(made) });
      break;
    }
    case 'withheld':
      for (const { hash } of record.files) if (hash) history.withheld.add(hash);
      break;
    case 'start':
      history.start = record.files;
      break;
    default:
      // A record of a newer version.
      record satisfies never;
  }
}

function lastRun({ runs }: UndoHistory): number {
  return runs.length - 1;
}

function addChanges(history: UndoHistory, run: number, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const { changes: made = [] } = history.runs[run] ?? {};
  for (const change of changes) made.push(change);
  history.undone = [];
}

function markUndone(history: UndoHistory, index: number, undone: boolean): void {
  const run = history.runs[index];
  if (run) run.undone = undone;
}

/** Skips a damaged line: it must not affect the others. */
function isRecord(value: unknown): value is UndoRecord {
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'run':
      return typeof value.at === 'string' && typeof value.prompt === 'string';
    case 'git':
      return value.state === 'elsewhere' || (isObject(value.state) && typeof value.state.head === 'string');
    case 'change':
    case 'accepted':
      return isChange(value);
    case 'undone':
      return Array.isArray(value.runs) && isChanges(value.changes);
    case 'found':
    case 'command_end':
    case 'redone':
      return isChanges(value.changes);
    case 'withheld':
      return isFiles(value.files, ({ hash }) => typeof hash === 'string');
    case 'start':
      return isFiles(value.files, ({ state }) => isFileState(state));
    default:
      return typeof value.type === 'string';
  }
}

function isChanges(value: unknown): boolean {
  return Array.isArray(value) && value.every(isChange);
}

function isFiles(value: unknown, isWhole: (file: Record<string, unknown>) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.every((file) => isObject(file) && typeof file.path === 'string' && isWhole(file))
  );
}

function isChange(value: unknown): boolean {
  if (!isObject(value) || typeof value.path !== 'string' || !path.isAbsolute(value.path)) return false;
  return [value.before, value.after].every((state) => state === null || isFileState(state));
}

function isFileState(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    ['file', 'link', 'folder', 'other'].includes(value.type as string) &&
    (value.mode === null || typeof value.mode === 'number') &&
    (value.hash === null || typeof value.hash === 'string')
  );
}
