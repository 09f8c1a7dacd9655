import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { unlessErrno } from '../../lib/files/errno.ts';
import { nativePath } from '../../lib/paths/raw-path.ts';
import { sha256 } from '../../lib/sha256.ts';

/**
 * The state of a path. `hash` is of a file's content or a link's target, empty for a folder; null for a file
 * too large to store. A null mode means any.
 */
export type FileState = {
  type: 'file' | 'link' | 'folder' | 'other';
  mode: number | null;
  hash: string | null;
};

/**
 * The transition of one path between two states; null means that nothing exists. `doubt` says why another
 * program may have caused it: such a change is undone only on explicit request.
 */
export type Change = { path: string; before: FileState | null; after: FileState | null; doubt?: string };

/** A state with the bytes of its hash. */
export type Found = { state: FileState; bytes: Buffer };

const NOTHING = Buffer.alloc(0);

/** Examines a link itself, never its target. */
export function inspect(file: string): Found | null {
  const stat = statIfAny(file);
  return stat && foundAs(file, stat);
}

export function foundAs(file: string, stat: Stats): Found {
  const mode = stat.mode & 0o7777;
  if (stat.isDirectory()) return { state: { type: 'folder', mode, hash: '' }, bytes: NOTHING };
  if (stat.isSymbolicLink()) {
    const bytes = readlinkSync(nativePath(file), 'buffer');
    return { state: { type: 'link', mode: null, hash: sha256(bytes) }, bytes };
  }
  if (!stat.isFile()) return { state: { type: 'other', mode, hash: null }, bytes: NOTHING };
  const bytes = readBytes(file, stat.size);
  return { state: { type: 'file', mode, hash: sha256(bytes) }, bytes };
}

export function statIfAny(file: string): Stats | null {
  return unlessErrno(['ENOTDIR'], null, () => lstatSync(nativePath(file), { throwIfNoEntry: false }) ?? null);
}

export function isSame(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b;
  return a.type === b.type && a.hash === b.hash && isSameMode(a.mode, b.mode);
}

export function isSameMode(a: number | null, b: number | null): boolean {
  return a === null || b === null || a === b;
}

/** Safe if the file was replaced meanwhile: does not follow a link or block on a pipe. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Like `readFileSync`, for a file of known size: half the system calls. */
function readBytes(file: string, size: number): Buffer {
  const descriptor = openSync(nativePath(file), READ);
  try {
    if (!fstatSync(descriptor).isFile()) throw notThere(file);
    const parts: Buffer[] = [];
    for (let room = size + 1; ; room = 64 * 1024) {
      const part = Buffer.allocUnsafe(room);
      const read = readSync(descriptor, part, 0, room, null);
      parts.push(part.subarray(0, read));
      // A file that has grown since is still read to its end.
      if (read < room) return parts.length === 1 ? part.subarray(0, read) : Buffer.concat(parts);
    }
  } finally {
    closeSync(descriptor);
  }
}

function notThere(file: string): Error {
  return Object.assign(new Error(`${file} is no longer a file.`), { code: 'ENOENT' });
}
