import { realpathSync, statSync } from 'node:fs';
import { writeAtomic } from './atomic-write.ts';
import { locksFolder } from './data-root.ts';
import { LockedError, lockFile, lockNameIn } from './lock.ts';

const PATIENCE_MS = 30_000;

/**
 * Replaces the file as a whole, or another one under the same lock. A link stays a link: what it leads to is replaced.
 * Without a mode only its owner may read it.
 */
export type Write = (content: string, options?: { mode?: number; to?: string }) => Promise<void>;

/** A file of ours, which has its lock beside it, or one of the user's, beside which nothing of ours may appear. */
export type SharedFile = string | { file: string; lockAs: string };

/** A file outside the data root. */
export function userFile(dataRoot: string, file: string): SharedFile {
  return { file, lockAs: lockNameIn(locksFolder(dataRoot), file) };
}

/**
 * The one way to change a file that other processes change, too: one after the other, so that no change is lost. The
 * reading belongs into `update` as well.
 */
export async function updateFile<T>(
  shared: SharedFile,
  update: (write: Write) => T | Promise<T>,
): Promise<T> {
  const { file, lockAs } = typeof shared === 'string' ? { file: shared, lockAs: shared } : shared;
  const lock = await lockFile(lockAs, { patienceMs: PATIENCE_MS });
  if (!lock) throw new LockedError(file);
  try {
    return await update(async (content, { mode = 0o600, to = file } = {}) => {
      if (!lock.isHeld()) throw new LockedError(file);
      const isThere = statSync(to, { throwIfNoEntry: false }) !== undefined;
      await writeAtomic(isThere ? realpathSync(to) : to, content, mode);
    });
  } finally {
    lock.release();
  }
}
