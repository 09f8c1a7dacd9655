import { statSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../files/errno.ts';

/**
 * The nearest folder at or above this one that contains `.git`; the folder itself if none does. Skips folders
 * owned by another user: anyone may put a `.git` into a world-writable folder.
 */
export function repositoryRoot(folder: string): string {
  const owner = ownerOf(folder);
  for (let at = folder; ; at = path.dirname(at)) {
    if (hasRepository(at)) return ownerOf(at) === owner ? at : folder;
    if (at === path.dirname(at)) return folder;
  }
}

/** Whether a folder is the top of a repository or worktree. */
export function hasRepository(folder: string): boolean {
  return ownerOf(path.join(folder, '.git')) !== null;
}

function ownerOf(file: string): number | null {
  return unlessErrno('any', null, () => statSync(file, { throwIfNoEntry: false })?.uid ?? null);
}
