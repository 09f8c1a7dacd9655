import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** As many as the kernel follows. */
const MAX_LINKS = 40;

/**
 * Where an absolute path really leads, every link followed, also when its end does not exist yet: a link to
 * nowhere leads to where a write through it would create a file. Throws on a loop of links.
 */
export function realPath(file: string, links = MAX_LINKS): string {
  const real = existing(file);
  if (real !== null) return real;

  const parent = path.dirname(file);
  if (parent === file) return file;
  const folder = realPath(parent, links);
  const target = linkTarget(file);
  if (target === null) return path.join(folder, path.basename(file));
  if (links === 0) throw new Error('too many links');
  return realPath(path.resolve(folder, target), links - 1);
}

function existing(file: string): string | null {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])) return null;
    throw error;
  }
}

function linkTarget(file: string): string | null {
  try {
    return lstatSync(file).isSymbolicLink() ? readlinkSync(file) : null;
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])) return null;
    throw error;
  }
}

export function isErrno(error: unknown, codes: readonly string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
