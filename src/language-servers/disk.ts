import { statSync } from 'node:fs';
import { unlessErrno } from '../lib/files/errno.ts';
import { readRegularFile } from '../lib/files/regular-file.ts';

/** Servers get no larger texts: nobody writes them by hand. */
const MAX_BYTES = 2 * 1024 * 1024;
const MISSING = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'ENXIO', 'ELOOP'];

/** The text of a file as it is on disk now; null if there is none. */
export function textOnDisk(file: string): string | null {
  return unlessErrno(MISSING, null, () => {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > MAX_BYTES) return null;
    return readRegularFile(file).toString('utf8');
  });
}

/** Differs after any change of these files. */
export function stateOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const stat = unlessErrno(MISSING, undefined, () => statSync(file, { throwIfNoEntry: false }));
      return stat ? `${stat.mtimeMs}:${stat.size}:${stat.ino}` : '-';
    })
    .join(' ');
}

export function isThere(file: string): boolean {
  return unlessErrno(MISSING, false, () => statSync(file, { throwIfNoEntry: false }) !== undefined);
}
