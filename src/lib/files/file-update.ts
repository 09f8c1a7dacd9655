import { realpathSync, statSync } from 'node:fs';
import { writeAtomic } from './atomic-write.ts';
import { locksFolder } from './data-root.ts';
import { LockedError, lockFile, lockNameIn } from './lock.ts';

const MAX_WAIT_MS = 30_000;

/**
 * Replaces the whole file, or another one under the same lock. A link stays a link: its target is replaced.
 * The default mode makes it readable only by its owner.
 */
export type Write = (content: string, options?: { mode?: number; to?: string }) => Promise<void>;

/** Our own file, with its lock next to it, or a user file, with its lock elsewhere. */
export type SharedFile = string | { file: string; lockAs: string };

/** A file outside the data root. */
export function userFile(dataRoot: string, file: string): SharedFile {
  return { file, lockAs: lockNameIn(locksFolder(dataRoot), file) };
}

/**
 * The only way to change a file that other processes change, too: serialized, so that no update is lost. Read
 * the file inside `update` as well.
 */
export async function updateFile<T>(
  shared: SharedFile,
  update: (write: Write) => T | Promise<T>,
): Promise<T> {
  const { file, lockAs } = typeof shared === 'string' ? { file: shared, lockAs: shared } : shared;
  const lock = await lockFile(lockAs, { maxWaitMs: MAX_WAIT_MS });
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
