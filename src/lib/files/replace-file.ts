import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { nativePath } from '../paths/raw-path.ts';
import { syncFolder } from './sync-folder.ts';

/**
 * Writes the content of a user file. An existing file is overwritten in place to keep its hard links, owner,
 * permissions and attributes; if it is not writable, it is replaced by a new file. A null mode keeps the
 * mode. The folder must exist.
 */
export function replaceFile(file: string, bytes: Uint8Array, mode: number | null): void {
  const place = nativePath(file);
  const stat = lstatSync(place, { throwIfNoEntry: false });
  if (!stat?.isFile()) {
    putInPlace(file, bytes, mode ?? 0o644);
    return;
  }
  try {
    overwrite(place, bytes, readFileSync(place));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EACCES', 'EPERM', 'ETXTBSY'].includes(code)) throw error;
    putInPlace(file, bytes, mode ?? stat.mode & 0o7777);
    return;
  }
  if (mode !== null && mode !== (stat.mode & 0o7777)) chmodSync(place, mode);
}

/** Writes to a temporary file next to it, then renames. */
function putInPlace(file: string, bytes: Uint8Array, mode: number): void {
  const folder = path.dirname(file);
  const temporary = nativePath(path.join(folder, `.aca-${randomBytes(8).toString('hex')}.tmp`));
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeOver(descriptor, bytes);
      // Unlike the creation mode, fchmod is not affected by the umask.
      fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, nativePath(file));
    syncFolder(nativePath(folder));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const IN_PLACE = constants.O_RDWR | ((constants.O_NOFOLLOW as number | undefined) ?? 0);

/**
 * Overwrites a file that contains `old`, and restores that if the disk accepts only a part. Fails with ESTALE
 * if the file contains something else now. Synced to disk when it returns.
 */
export function overwrite(place: string | Buffer, bytes: Uint8Array, old: Uint8Array): void {
  const descriptor = openSync(place, IN_PLACE);
  try {
    if (!readFileSync(descriptor).equals(old))
      throw Object.assign(new Error('Another program changed the file.'), { code: 'ESTALE' });
    try {
      writeOver(descriptor, bytes);
    } catch (error) {
      // The old content already has its blocks on the disk.
      writeOver(descriptor, old);
      throw error;
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeOver(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
  ftruncateSync(descriptor, bytes.length);
}

/**
 * Whether a file looks like the result of an interrupted overwrite: every byte is from the old or the new
 * content.
 */
export function isTorn(now: Uint8Array, from: Uint8Array, to: Uint8Array): boolean {
  if (now.length < Math.min(from.length, to.length) || now.length > Math.max(from.length, to.length))
    return false;
  return now.every((byte, at) => byte === from[at] || byte === to[at]);
}
