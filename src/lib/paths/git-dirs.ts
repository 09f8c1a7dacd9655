import { statSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../files/errno.ts';
import { readRegularText } from '../files/regular-file.ts';

// Below a file, as in a worktree or submodule, `throwIfNoEntry: false` still throws ENOTDIR.
const MISSING = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'];

/**
 * The folders with git's own files for the working tree at `root`. A worktree has one of its own and a shared
 * one; its `.git`, like that of a submodule, is a file that names the folder.
 */
export function gitDirs(root: string): string[] {
  const dot = path.join(root, '.git');
  const [, elsewhere] = /^gitdir: (.+)$/m.exec(textIfAny(dot) ?? '') ?? [];
  const own = elsewhere === undefined ? dot : path.resolve(root, elsewhere.trim());
  const shared = textIfAny(path.join(own, 'commondir'));
  return shared === null ? [own] : [own, path.resolve(own, shared.trim())];
}

/** The text of a regular file; null if there is none. */
export function textIfAny(file: string): string | null {
  return unlessErrno(MISSING, null, () => (statSync(file).isFile() ? readRegularText(file) : null));
}
