import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { promisify } from 'node:util';
import { PermissionDeniedError, UnusableFileError } from '../../contract/errors.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import type { Guard } from '../guard.ts';

export type OpenFile = { fd: number; size: number; mode: number };

/** macOS can refuse links anywhere in a path, not only at its end. */
const O_NOFOLLOW_ANY = 0x2000_0000;
export const NO_LINKS =
  process.platform === 'darwin' ? O_NOFOLLOW_ANY : ((constants.O_NOFOLLOW as number | undefined) ?? 0);
const NO_WAIT = (constants.O_NONBLOCK as number | undefined) ?? 0;
/** A file that is replaced constantly can still be read. */
const TRIES = 5;
/** Read synchronously: a thread switch takes longer. */
const SYNC_MAX = 256 * 1024;

const readAsync = promisify(read);

/**
 * Opens a regular file for reading by its real path, for the duration of a callback. The open file is
 * checked, so there is no race: a pipe, a device or a folder is refused without blocking, and so is a path
 * that now leads elsewhere, or a hard link to a secret.
 */
export async function withRegular<T>(
  real: string,
  guard: Guard,
  deed: (file: OpenFile) => Promise<T>,
): Promise<T> {
  const file = openRegular(real, guard);
  try {
    return await deed(file);
  } finally {
    closeSync(file.fd);
  }
}

/** The caller closes it. */
export function openRegular(real: string, guard: Guard): OpenFile {
  for (let left = TRIES; left > 0; left--) {
    // Non-blocking: opening a pipe without a writer would wait forever.
    const fd = openSync(real, constants.O_RDONLY | NO_LINKS | NO_WAIT);
    try {
      const stat = fstatSync(fd);
      if (stat.isDirectory()) throw new UnusableFileError(`${real} is a folder, not a file.`);
      if (!stat.isFile())
        throw new UnusableFileError(`${real} is a pipe, socket or device, not a regular file.`);
      const because = guard.otherNameBecause(stat);
      if (because !== null)
        throw new PermissionDeniedError({ operation: `read ${real} (${because})`, by: 'path guard' });
      if (isStillAt(real, fd, stat)) return { fd, size: stat.size, mode: stat.mode };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
  }
  throw new PermissionDeniedError({
    operation: `read ${real} (the path changed while it was being opened)`,
    by: 'path guard',
  });
}

/** Whether the open file is the one at that path, without links in the path. */
export function isStillAt(real: string, fd: number, stat: Stats): boolean {
  const place = placeOf(fd);
  if (place === real) return true;
  // Removed from its folder, or moved. It may be the same only where names have several spellings.
  if (place !== null && place.toLowerCase().normalize() !== real.toLowerCase().normalize()) return false;
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'], false, () => {
    const now = lstatSync(real);
    return now.ino === stat.ino && now.dev === stat.dev && realpathSync.native(real) === real;
  });
}

/** The path of an open file. Exact on Linux; null elsewhere. */
function placeOf(fd: number): string | null {
  if (process.platform !== 'linux') return null;
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], null, () =>
    readlinkSync(`/proc/self/fd/${fd}`),
  );
}

/** Fills the buffer from a position in the file, as far as one call goes; 0 at the end. On another thread. */
export async function readLater(fd: number, bytes: Uint8Array, position: number): Promise<number> {
  return (await readAsync(fd, bytes, 0, bytes.length, position)).bytesRead;
}

/** The first `size` bytes, or fewer if the file shrank meanwhile. */
export async function readBytes(fd: number, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const rest = bytes.subarray(filled);
    const count =
      size <= SYNC_MAX ? readSync(fd, rest, 0, rest.length, filled) : await readLater(fd, rest, filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}
