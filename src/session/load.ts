import { closeSync, fstatSync, readSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { openRegularFile, readRegularFile } from '../lib/files/regular-file.ts';
import { parseJournal, RecordParser } from './parse.ts';
import { type Folded, fold, type IsOwnGrant, type JournalRecord } from './records.ts';

/**
 * A session read from its journal. `ready` resolves when it is complete: of a long one only the last part is
 * read at first, so that the user need not wait. `damaged` is complete only then.
 */
export type Loaded = Folded & { ready: Promise<void>; damaged: string[] };

/** Up to this size reading everything at once takes no noticeable time. */
const SMALL = 2 * 1024 * 1024;
const HEAD = 64 * 1024;
const PIECE = 256 * 1024;

/** Null if the file is not a session. */
export function loadJournal(file: string, isOwnGrant?: IsOwnGrant): Loaded | null {
  const id = path.basename(file, '.jsonl');
  const descriptor = openRegularFile(file);
  const { size } = fstatSync(descriptor);
  const header = size <= SMALL ? null : headerIn(part(descriptor, 0, HEAD));
  if (!header) {
    closeSync(descriptor);
    const { records, damaged } = parseJournal(readRegularFile(file));
    const folded = fold(records, id, isOwnGrant);
    return folded && { ...folded, ready: Promise.resolve(), damaged };
  }
  const tail = part(descriptor, size - SMALL, SMALL);
  const records = parseJournal(tail.subarray(tail.indexOf(10) + 1)).records;
  // The base of a rewind is not known here; its result is shown once everything is read.
  const last = fold([header, ...records.filter(({ type }) => type !== 'rewind')], id, isOwnGrant);
  if (!last) return null;
  const loaded: Loaded = { ...last, ready: Promise.resolve(), damaged: [] };
  loaded.ready = readWhole(descriptor, loaded, isOwnGrant).finally(() => closeSync(descriptor));
  return loaded;
}

/** The folder of a session; null if its file no longer contains it. */
export function sessionFolder(file: string): string | null {
  const header = headerIn(startOfJournal(file));
  return header?.type === 'header' ? header.workingDirectory : null;
}

/** The beginning of a journal, with its header. */
export function startOfJournal(file: string): Buffer {
  const descriptor = openRegularFile(file);
  try {
    return part(descriptor, 0, HEAD);
  } finally {
    closeSync(descriptor);
  }
}

/** Reads from the start in small steps, then replaces the partial content. */
async function readWhole(descriptor: number, loaded: Loaded, isOwnGrant?: IsOwnGrant): Promise<void> {
  const parser = new RecordParser();
  const records: JournalRecord[] = [];
  for (let at = 0; ; at += PIECE) {
    const piece = part(descriptor, at, PIECE);
    for (const record of parser.push(piece)) records.push(record);
    if (piece.length < PIECE) break;
    await pause();
  }
  for (const record of parser.finish()) records.push(record);
  const whole = fold(records, loaded.session.id, isOwnGrant);
  if (!whole) return;
  // These objects are already in use: update them in place.
  Object.assign(loaded.session, whole.session);
  Object.assign(loaded.unfinished, whole.unfinished);
  for (const line of parser.damaged) loaded.damaged.push(line);
  loaded.foreign.splice(0, loaded.foreign.length, ...whole.foreign);
  Object.assign(loaded, { costUsd: whole.costUsd, fence: whole.fence });
}

function headerIn(head: Buffer): JournalRecord | null {
  const { records } = parseJournal(head.subarray(0, head.lastIndexOf(10) + 1));
  return records.find(({ type }) => type === 'header') ?? null;
}

function part(descriptor: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, from));
}
