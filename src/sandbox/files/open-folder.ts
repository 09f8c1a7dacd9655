import { closeSync, constants, existsSync, fstatSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { PermissionDeniedError, UnusableFileError } from '../../contract/errors.ts';
import { isErrno, unlessErrno } from '../../lib/files/errno.ts';
import { isStillAt, NO_LINKS } from './open-file.ts';

/**
 * An open folder. `at` names an entry in it, and keeps referring to it whatever replaces the folder or one of
 * its parents; where the system has no such names, it is the plain path.
 */
export type OpenFolder = {
  at(name: string): string;
  /** Whether the path it was opened by still leads to it. */
  isStillThere(): boolean;
  close(): void;
};

/** `made` is the topmost created folder. */
export type MadeFolder = OpenFolder & { made?: string };

/** Linux: a handle for traversal that does not need permission to list the folder. */
const O_PATH = 0x20_0000;
const AS_FOLDER = (constants.O_DIRECTORY as number | undefined) ?? 0;

/** Opens a folder by its real path; the open folder is checked, so there is no race. */
export function openFolder(real: string): OpenFolder {
  return verified(real, real);
}

/** The same, and creates missing folders, each within its open parent. */
export function makeFolder(real: string): MadeFolder {
  try {
    return openFolder(real);
  } catch (error) {
    if (!isErrno(error, ['ENOENT']) || path.dirname(real) === real) throw error;
  }
  const parent = makeFolder(path.dirname(real));
  try {
    const place = parent.at(path.basename(real));
    const isNew = make(place);
    const made = parent.made ?? (isNew ? real : undefined);
    return { ...verified(real, place), ...(made !== undefined && { made }) };
  } finally {
    parent.close();
  }
}

/** False if it already exists. */
function make(place: string): boolean {
  return unlessErrno(['EEXIST'], false, () => {
    mkdirSync(place);
    return true;
  });
}

/** `place` is how to open the folder, `real` where it must be. */
function verified(real: string, place: string): OpenFolder {
  const isLinux = process.platform === 'linux';
  const fd = openSync(place, (isLinux ? O_PATH : 0) | AS_FOLDER | NO_LINKS);
  let isStillThere = () => true;
  try {
    const stat = fstatSync(fd);
    isStillThere = () => isStillAt(real, fd, stat);
    if (!stat.isDirectory()) throw new UnusableFileError(`${real} is not a folder.`);
    if (!isStillThere())
      throw new PermissionDeniedError({
        operation: `open ${real} (the path changed in the meantime)`,
        by: 'path guard',
      });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  const held = `/proc/self/fd/${fd}`;
  const folder = isLinux && existsSync(held) ? held : real;
  return { at: (name) => `${folder}${path.sep}${name}`, isStillThere, close: () => closeSync(fd) };
}
