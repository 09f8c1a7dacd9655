import {
  chmodSync,
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { ifAccessible, isSettled } from '../files/if-accessible.ts';
import type { Content } from './place.ts';

/** Files that were larger before could not be restored. */
const MAX_BYTES = 20 * 1024 * 1024;

export type Seen = { stamp: string; content: Content };
/** Contents by path, remembered for files that have not changed since they were read. */
export class Contents {
  readonly #known = new Map<string, Seen>();

  /** Null for an unreadable or too large file. */
  see(file: string): Seen | null {
    const stamp = stampOf(file);
    if (stamp === null) return null;
    const cached = this.#known.get(file);
    if (cached?.stamp === stamp.text && stamp.sure) return cached;
    const content = contentOf(file);
    if (!content) return null;
    const seen = { stamp: stamp.text, content };
    if (stamp.sure) this.#known.set(file, seen);
    return seen;
  }

  forget(file: string): void {
    this.#known.delete(file);
  }
}

/** Null if the disk is full or read-only. */
export function keep(file: string, bytes: Buffer): string | null {
  return unlessErrno(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM'], null, () => {
    makeFolder(path.dirname(file), 0o700);
    writeFileSync(file, bytes, { mode: 0o600 });
    return file;
  });
}

/** Whether it is a file that could not be restored. */
export function isTooLarge(file: string): boolean {
  const stat = ifAccessible(() => lstatSync(file));
  return stat?.isFile() === true && stat.size > MAX_BYTES;
}

/** Restores a content atomically. */
export function putContent(file: string, { type, bytes, mode }: Content): void {
  makeFolder(path.dirname(file));
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`);
  rmSync(temporary, { force: true });
  if (type === 'link') symlinkSync(bytes, temporary);
  else {
    writeFileSync(temporary, bytes, { flag: 'wx' });
    chmodSync(temporary, mode);
  }
  renameSync(temporary, file);
}

/** Becoming executable is a change, too. */
export function isSame(a: Content, b: Content): boolean {
  const executable = (mode: number) => (mode & 0o111) !== 0;
  return a.type === b.type && a.bytes.equals(b.bytes) && (executable(a.mode) || !executable(b.mode));
}

function stampOf(file: string): { text: string; sure: boolean } | null {
  const stat = ifAccessible(() => lstatSync(file, { bigint: true }));
  if (!stat) return null;
  const sure = isSettled(stat.ctimeNs);
  return { text: `${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}`, sure };
}

function contentOf(file: string): Content | null {
  return ifAccessible(() => {
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return { type: 'link', bytes: Buffer.from(readlinkSync(file)), mode: 0o777 };
    if (!stat.isFile() || stat.size > MAX_BYTES) return null;
    return { type: 'file', bytes: readFileSync(file), mode: stat.mode & 0o777 };
  });
}

/** Of a file that has become too large to keep: enough to set it aside. */
export function beginningOf(file: string): Content | null {
  return ifAccessible(() => {
    const stat = lstatSync(file);
    if (!stat.isFile()) return null;
    const bytes = Buffer.alloc(Math.min(MAX_BYTES, stat.size));
    const opened = openSync(file, 'r');
    try {
      readSync(opened, bytes);
    } finally {
      closeSync(opened);
    }
    return { type: 'file', bytes, mode: stat.mode & 0o777 };
  });
}
