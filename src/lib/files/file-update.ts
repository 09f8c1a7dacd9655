import { realpathSync, statSync } from 'node:fs';
import { writeAtomic } from './atomic-write.ts';
import { LockedError, lockFile } from './lock.ts';

const PATIENCE_MS = 30_000;

/**
 * Replaces the file as a whole, or another one under the same lock. A link stays a link: what it leads to is replaced.
 * Without a mode only its owner may read it.
 */
export type Write = (content: string, options?: { mode?: number; to?: string }) => Promise<void>;

export type UpdateOptions = {
  /** What to lock instead of a file beside which nothing of ours may appear. */
  lockAs?: string;
};

/**
 * The one way to change a file that other processes change, too: one after the other, so that no change is lost. The
 * reading belongs into `update` as well.
 */
export async function updateFile<T>(
  file: string,
  update: (write: Write) => T | Promise<T>,
  { lockAs = file }: UpdateOptions = {},
): Promise<T> {
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
