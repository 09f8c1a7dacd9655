import { closeSync, constants, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { withSyncLock } from '../../lib/files/lock.ts';
import {
  openRegularFile,
  openToAppend,
  readRegularFile,
  readRegularText,
} from '../../lib/files/regular-file.ts';
import { sha256 } from '../../lib/sha256.ts';
import { parseJson } from '../../lib/text/json.ts';
import { filesOfLog, MAX_BYTES, moveFiles } from '../log/rotating-file.ts';

/** A position in the chain: the number of an entry, and its hash. */
export type Link = { seq: number; hash: string };

/**
 * Stored next to the log: the last entry, the file size after it, and the entry before the oldest remaining
 * one.
 */
export type Head = Link & { size: number; start: Link };

/**
 * A line's position in the chain. `torn` is the hash of an incomplete line before it; `headless` means that
 * the head was missing when it was written.
 */
export type ChainFields = { seq: number; prev: string; torn?: string; headless?: true };

/**
 * A log of JSON lines, each with the hash of the previous one, so that no line can be changed, removed or
 * inserted unnoticed. Several processes may write to it, one at a time.
 */
export class ChainedLog {
  readonly #file: string;
  readonly #maxBytes: number;

  constructor(file: string, maxBytes = MAX_BYTES) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Written to the OS when it returns. Throws if the write fails. */
  append(record: object): void {
    withSyncLock(this.#file, () => this.#append(record));
  }

  #append(record: object): void {
    let log = openToAppend(this.#file);
    try {
      let { size } = fstatSync(log);
      const known = readHead(this.#file);
      const last =
        known?.size === size ? { ...known, torn: null, headless: false } : this.#recover(log, known);
      const link = { seq: last.seq + 1, prev: last.hash };
      const line = chainedLine(record, {
        ...link,
        ...(last.torn !== null && { torn: sha256(last.torn) }),
        ...(last.headless && { headless: true }),
      });
      const bytes = Buffer.from(`${last.torn === null ? '' : '\n'}${line.text}\n`);
      let { start } = last;
      // An incomplete line stays in the same file as the one that names it.
      if (size > 0 && last.torn === null && size + bytes.length > this.#maxBytes) {
        closeSync(log);
        const dropped = filesOfLog(this.#file)[0];
        start = (dropped === undefined ? null : lastLink(linesOf(readIfAny(dropped)))) ?? start;
        moveFiles(this.#file);
        log = openToAppend(this.#file);
        size = 0;
      }
      if (writeSync(log, bytes) < bytes.length) throw new Error('only part of the line was written to disk');
      writeHead(this.#file, { seq: link.seq, hash: line.hash, size: size + bytes.length, start });
    } finally {
      closeSync(log);
    }
  }

  /**
   * Where the chain continues if the head does not match the file: a process was killed, or the log was
   * tampered with.
   */
  #recover(log: number, head: Head | null): Omit<Head, 'size'> & { torn: Buffer | null; headless: boolean } {
    const bytes = Buffer.alloc(fstatSync(log).size);
    readSync(log, bytes, 0, bytes.length, 0);
    const end = bytes.lastIndexOf(0x0a) + 1;
    const torn = end < bytes.length ? bytes.subarray(end) : null;
    const lines = linesOf(bytes.subarray(0, end));
    if (head) {
      // Written just before its process ended, so that the head does not include it.
      const after = parseLine(lines.at(-1) ?? '');
      const isNext = after?.intact && after.seq === head.seq + 1 && after.prev === head.hash;
      return { ...head, ...(isNext && { seq: after.seq, hash: after.hash }), torn, headless: false };
    }
    const all = filesOfLog(this.#file).flatMap((name) => linesOf(readIfAny(name)));
    const last = lastLink(all);
    const first = all.map(parseLine).find((entry) => entry !== null);
    // Lines from before the chain are covered by the first entry's `prev`.
    if (!last || !first) {
      const before = { seq: 0, hash: sha256(bytes.subarray(0, end)) };
      return { ...before, start: before, torn, headless: false };
    }
    return { ...last, start: { seq: first.seq - 1, hash: first.prev }, torn, headless: true };
  }
}

/** The hash covers everything before it, byte for byte, so it comes last. */
function chainedLine(record: object, fields: ChainFields): { text: string; hash: string } {
  const body = JSON.stringify({ ...record, ...fields });
  const hash = sha256(body);
  return { text: `${body.slice(0, -1)},"hash":"${hash}"}`, hash };
}

/**
 * Parses a line given as one character per byte. Null if it is not part of a chain; not intact if it was
 * changed.
 */
export function parseLine(line: string): (ChainFields & { hash: string; intact: boolean }) | null {
  const [, body, hash] = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/s.exec(line) ?? [];
  if (body === undefined || hash === undefined) return null;
  try {
    const bytes = Buffer.from(`${body}}`, 'latin1');
    const { seq, prev, torn, headless } = JSON.parse(bytes.toString('utf8')) as ChainFields;
    if (!Number.isSafeInteger(seq) || typeof prev !== 'string') return null;
    const more = { ...(torn !== undefined && { torn }), ...(headless && { headless }) };
    return { seq, prev, hash, ...more, intact: sha256(bytes) === hash };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function headFileOf(file: string): string {
  return path.join(path.dirname(file), `${path.parse(file).name}.head`);
}

/** Null if there is none, or it is unreadable. */
export function readHead(file: string): Head | null {
  const text = unlessErrno('any', '', () => readRegularText(headFileOf(file)));
  const head = parseJson(text) as Partial<Head> | null | undefined;
  return isLink(head) && isLink(head.start) && Number.isSafeInteger(head.size) ? (head as Head) : null;
}

function isLink<T extends Partial<Link>>(value: T | null | undefined): value is T & Link {
  return Number.isSafeInteger(value?.seq) && /^[0-9a-f]{64}$/.test(value?.hash ?? '');
}

/** One sector, so that a write in place is atomic, and far faster than replacing the file. */
const HEAD_BYTES = 512;

function writeHead(file: string, head: Head): void {
  const descriptor = openRegularFile(headFileOf(file), constants.O_RDWR | constants.O_CREAT);
  try {
    const text = `${JSON.stringify(head).padEnd(HEAD_BYTES - 1)}\n`;
    if (writeSync(descriptor, text, 0) < HEAD_BYTES)
      throw new Error('only part of the head was written to disk');
    ftruncateSync(descriptor, HEAD_BYTES);
  } finally {
    closeSync(descriptor);
  }
}

function lastLink(lines: readonly string[]): Link | null {
  const last = lines.findLast((line) => parseLine(line) !== null);
  const entry = last === undefined ? null : parseLine(last);
  return entry && { seq: entry.seq, hash: entry.hash };
}

export function readIfAny(file: string): Buffer {
  return unlessErrno(['ENOENT'], Buffer.alloc(0), () => readRegularFile(file));
}

/** One character per byte: a change that cannot be decoded must be detected, too. */
function linesOf(bytes: Buffer): string[] {
  const lines = bytes.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
