import { statSync } from 'node:fs';
import path from 'node:path';

/**
 * The nearest folder at or above this one that contains `.git`; the folder itself if none does. Skips folders
 * owned by another user: anyone may put a `.git` into a world-writable folder.
 */
export function repositoryRoot(folder: string): string {
  const owner = ownerOf(folder);
  for (let at = folder; ; at = path.dirname(at)) {
    if (ownerOf(path.join(at, '.git')) !== null) return ownerOf(at) === owner ? at : folder;
    if (at === path.dirname(at)) return folder;
  }
}

function ownerOf(file: string): number | null {
  try {
    return statSync(file, { throwIfNoEntry: false })?.uid ?? null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
