import { closeSync, fstatSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { tryLock } from '../../lib/files/lock.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { openToAppend } from '../../lib/files/regular-file.ts';

/** Size in bytes at which a new file is started. */
export const MAX_BYTES = 10 * 1024 * 1024;
const KEPT = 5;

/** Appends lines to a file that several processes may write to; keeps the last few full files next to it. */
export class RotatingFile {
  readonly #file: string;
  readonly #maxBytes: number;
  #torn = false;

  constructor(file: string, maxBytes = MAX_BYTES) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Passed to the OS when it returns, so that it outlives this process. Throws if the write fails. */
  append(line: string): void {
    try {
      // An incomplete line is terminated, so that it does not spoil the next one.
      appendLine(this.#file, `${this.#torn ? '\n' : ''}${line}\n`, this.#maxBytes);
      this.#torn = false;
    } catch (error) {
      this.#torn = true;
      throw error;
    }
  }
}

/** The files of a log, oldest first. */
export function filesOfLog(file: string): string[] {
  return [...Array.from({ length: KEPT }, (_, i) => rotated(file, KEPT - i)), file];
}

/** `audit.jsonl` becomes `audit.1.jsonl`. */
function rotated(file: string, number: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.${number}${ext}`);
}

/** Opened for each line: another process may have rotated the file since the last one. */
function appendLine(file: string, line: string, maxBytes: number): void {
  const bytes = Buffer.from(line);
  let log = openForAppend(file);
  if (fstatSync(log).size + bytes.length > maxBytes) {
    closeSync(log);
    rotate(file, maxBytes - bytes.length);
    log = openForAppend(file);
  }
  try {
    if (writeSync(log, bytes) < bytes.length) throw new Error('only part of the line was written to disk');
  } finally {
    closeSync(log);
  }
}

function openForAppend(file: string): number {
  try {
    return openToAppend(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makePrivateFolder(path.dirname(file));
    return openToAppend(file);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Rotates the files to start a new one; the oldest is dropped. */
export function moveFiles(file: string): void {
  rmSync(rotated(file, KEPT), { force: true });
  for (let number = KEPT; number >= 1; number--) {
    const from = number === 1 ? file : rotated(file, number - 1);
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, rotated(file, number));
  }
}

/** One process rotates; another that tries at the same moment keeps writing meanwhile. */
function rotate(file: string, room: number): void {
  const lock = tryLock(file);
  try {
    if (lock && sizeOf(file) > room) moveFiles(file);
  } finally {
    lock?.release();
  }
}
