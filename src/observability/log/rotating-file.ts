import { closeSync, fstatSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { tryLock } from '../../lib/files/lock.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { openToAppend } from '../../lib/files/regular-file.ts';

/** Bytes past which a new file is begun. */
export const MAX_BYTES = 10 * 1024 * 1024;
const KEPT = 5;

/** Lines of one process to a file that several may write to; the last few full ones are kept beside it. */
export class RotatingFile {
  readonly #file: string;
  readonly #maxBytes: number;
  #torn = false;

  constructor(file: string, maxBytes = MAX_BYTES) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** In the hands of the system when it returns, so that it outlives this process. Throws where the disk refuses. */
  append(line: string): void {
    try {
      // A line that broke off is closed, so that it spoils no other.
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

/** Opened anew for each line: the file may have been moved by another process since the last one. */
function appendLine(file: string, line: string, maxBytes: number): void {
  const bytes = Buffer.from(line);
  let log = openForAppend(file);
  if (fstatSync(log).size + bytes.length > maxBytes) {
    closeSync(log);
    rotate(file, maxBytes - bytes.length);
    log = openForAppend(file);
  }
  try {
    if (writeSync(log, bytes) < bytes.length) throw new Error('the disk took only a part of the line');
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

/** Makes room for a new file; the oldest one is gone then. */
export function moveFiles(file: string): void {
  rmSync(rotated(file, KEPT), { force: true });
  for (let number = KEPT; number >= 1; number--) {
    const from = number === 1 ? file : rotated(file, number - 1);
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, rotated(file, number));
  }
}

/** One process moves the files; another that wants to at the same moment writes on meanwhile. */
function rotate(file: string, room: number): void {
  const lock = tryLock(file);
  try {
    if (lock && sizeOf(file) > room) moveFiles(file);
  } finally {
    lock?.release();
  }
}
