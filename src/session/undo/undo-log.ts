import { closeSync, fdatasyncSync, writeSync } from 'node:fs';
import path from 'node:path';
import { readJsonLines, toJsonLines } from '../../lib/files/json-lines.ts';
import { openForAppend } from '../journal.ts';
import { type Change, statIfAny } from './standing.ts';

/** What a run is told apart by: when it began, what was asked, and where its prompt stands in the conversation. */
export type RunInfo = { at: string; prompt: string; message: number };

export type UndoRecord =
  | ({ type: 'run' } & RunInfo)
  | ({ type: 'change' } & Change)
  /** A command that may change anything begins; what it did is known when it has ended. */
  | { type: 'command' }
  /** `run` is its index, the last one when it is left out. */
  | { type: 'command_end'; changes: Change[]; run?: number }
  /** What a command that goes on in the background has changed so far. */
  | { type: 'found'; changes: Change[]; run: number }
  | { type: 'undone'; runs: number[]; changes: Change[] }
  | { type: 'redone'; changes: Change[] };

export type LoggedRun = RunInfo & { index: number; changes: Change[]; undone: boolean };

/** `undone` is what could be done again: nothing once another run has changed something. */
export type UndoHistory = {
  runs: LoggedRun[];
  undone: { runs: number[]; changes: Change[] }[];
  /** Runs whose commands have not ended, each as often as it has such commands. */
  open: number[];
};

/** A session's log. It is read once, and again only if somebody else has written to it. */
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
    const { history } = this;
    const written = appendRecords(this.#file, records);
    for (const record of records) fold(history, record);
    this.#size += written;
  }
}

/** On the disk when it returns. */
function appendRecords(file: string, records: readonly UndoRecord[]): number {
  const descriptor = openForAppend(file);
  try {
    const lines = Buffer.from(toJsonLines(records));
    if (writeSync(descriptor, lines) < lines.length)
      throw Object.assign(new Error('the disk took only a part of the line'), { code: 'ENOSPC' });
    fdatasyncSync(descriptor);
    return lines.length;
  } finally {
    closeSync(descriptor);
  }
}

export function readHistory(file: string): UndoHistory {
  const history = emptyHistory();
  for (const record of readJsonLines(file)) if (isRecord(record)) fold(history, record);
  return history;
}

function emptyHistory(): UndoHistory {
  return { runs: [], undone: [], open: [] };
}

function fold(history: UndoHistory, record: UndoRecord): void {
  switch (record.type) {
    case 'run':
      history.runs.push({ ...record, index: history.runs.length, changes: [], undone: false });
      break;
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
      // A run that was only passed over leaves nothing to do again, and must not stand before what does.
      if (record.changes.length > 0) history.undone.push({ runs: record.runs, changes: record.changes });
      break;
    case 'redone':
      for (const index of history.undone.pop()?.runs ?? []) markUndone(history, index, false);
      break;
    default:
      // A newer version's record.
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

type Table = Record<string, unknown>;

/** A damaged line is passed over: it must not bring down the others. */
function isRecord(value: unknown): value is UndoRecord {
  if (!isTable(value)) return false;
  switch (value.type) {
    case 'run':
      return typeof value.at === 'string' && typeof value.prompt === 'string';
    case 'change':
      return isChange(value);
    case 'undone':
      return Array.isArray(value.runs) && isChanges(value.changes);
    case 'found':
    case 'command_end':
    case 'redone':
      return isChanges(value.changes);
    default:
      return typeof value.type === 'string';
  }
}

function isChanges(value: unknown): boolean {
  return Array.isArray(value) && value.every(isChange);
}

function isChange(value: unknown): boolean {
  if (!isTable(value) || typeof value.path !== 'string' || !path.isAbsolute(value.path)) return false;
  return [value.before, value.after].every((standing) => standing === null || isStanding(standing));
}

function isStanding(value: unknown): boolean {
  if (!isTable(value)) return false;
  return (
    ['file', 'link', 'folder', 'other'].includes(value.type as string) &&
    (value.mode === null || typeof value.mode === 'number') &&
    (value.hash === null || typeof value.hash === 'string')
  );
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
