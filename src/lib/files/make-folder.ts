import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { nativePath } from '../paths/raw-path.ts';
import { isErrno, unlessErrno } from './errno.ts';

/** Other processes may remove the parents meanwhile. */
const ATTEMPTS = 3;

/**
 * Creates a folder and its parents, unless they exist. `mkdir` with `recursive` never returns where the system says
 * that an existing parent does not exist, as in `/proc`.
 */
export function makeFolder(folder: string, mode = 0o777, attempts = ATTEMPTS): void {
  try {
    mkdirSync(nativePath(folder), { mode });
  } catch (error) {
    if (isFolder(folder)) return;
    const parent = path.dirname(folder);
    if (!isErrno(error, ['ENOENT']) || parent === folder || attempts === 0) throw error;
    makeFolder(parent, mode);
    makeFolder(folder, mode, attempts - 1);
  }
}

function isFolder(place: string): boolean {
  return unlessErrno('any', false, () => statSync(nativePath(place)).isDirectory());
}
