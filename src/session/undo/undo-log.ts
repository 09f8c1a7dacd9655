import { closeSync, fdatasyncSync, writeSync } from 'node:fs';
import path from 'node:path';
import { readJsonLines, toJsonLines } from '../../lib/json-lines.ts';
import { openForAppend } from '../journal.ts';
import type { Change } from './standing.ts';

/** What a run is told apart by: when it began, what was asked, and where its prompt stands in the conversation. */
export type RunInfo = { at: string; prompt: string; message: number };

export type UndoRecord =
  | ({ type: 'run' } & RunInfo)
  | ({ type: 'change' } & Change)
  /** A command that may change anything begins; what it did is known when it has ended. */
  | { type: 'command' }
  | { type: 'command_end'; changes: Change[] }
  | { type: 'undone'; runs: number[]; changes: Change[] }
  | { type: 'redone'; changes: Change[] };

export type LoggedRun = RunInfo & { index: number; changes: Change[]; undone: boolean };

/** `undone` is what could be done again: nothing once another run has changed something. */
export type UndoHistory = {
  runs: LoggedRun[];
  undone: { runs: number[]; changes: Change[] }[];
  /** A command was under way when the process ended. */
  commandOpen: boolean;
};

/** On the disk when it returns. */
export function appendRecords(file: string, records: readonly UndoRecord[]): void {
  if (records.length === 0) return;
  const descriptor = openForAppend(file);
  try {
    const lines = Buffer.from(toJsonLines(records));
    if (writeSync(descriptor, lines) < lines.length)
      throw Object.assign(new Error('the disk took only a part of the line'), { code: 'ENOSPC' });
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function readHistory(file: string): UndoHistory {
  const history: UndoHistory = { runs: [], undone: [], commandOpen: false };
  for (const record of readJsonLines(file)) if (isRecord(record)) fold(history, record);
  return history;
}

function fold(history: UndoHistory, record: UndoRecord): void {
  switch (record.type) {
    case 'run':
      history.runs.push({ ...record, index: history.runs.length, changes: [], undone: false });
      break;
    case 'change': {
      const { path: file, before, after } = record;
      addChanges(history, [{ path: file, before, after }]);
      break;
    }
    case 'command':
      history.commandOpen = true;
      break;
    case 'command_end':
      history.commandOpen = false;
      addChanges(history, record.changes);
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

function addChanges(history: UndoHistory, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const { changes: made = [] } = history.runs.at(-1) ?? {};
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
