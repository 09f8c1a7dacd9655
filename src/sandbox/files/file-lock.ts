import { type Lock, lockFile, lockNameIn } from '../../lib/files/lock.ts';
import { isInside } from '../../lib/paths/inside.ts';

/** How long to wait for a file that another process has locked, before continuing without the lock. */
const PATIENCE_MS = 30_000;

export type FileLocks = {
  /**
   * Runs an operation while no other one changes the same files, or their parent folders, here or in another
   * process. In order of arrival; one aborted while waiting does not run.
   */
  run<T>(files: readonly string[], signal: AbortSignal, deed: () => Promise<T>): Promise<T>;
};

/**
 * Locks on files by real path, so that all names of a file share one. If the lock folder is not writable,
 * they apply to this process only.
 */
export function createFileLocks(locks: string): FileLocks {
  const turns = new Set<{ files: readonly string[]; over: Promise<unknown> }>();

  async function inTurn<T>(
    files: readonly string[],
    signal: AbortSignal,
    deed: () => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const held = await lockAll({ files, locks, signal });
    try {
      return await deed();
    } finally {
      for (const lock of held) lock.release();
    }
  }

  return {
    run(files, signal, deed) {
      if (files.length === 0) return deed();
      const before = [...turns].filter((turn) => overlap(turn.files, files)).map(({ over }) => over);
      const work = Promise.all(before).then(() => inTurn(files, signal, deed));
      const turn = { files, over: work.catch(() => undefined) };
      turns.add(turn);
      void turn.over.then(() => turns.delete(turn));
      return work;
    },
  };
}

type Wanted = { files: readonly string[]; locks: string; signal: AbortSignal };

/** In a fixed order to prevent deadlocks between processes. A hanging process cannot block others forever. */
async function lockAll({ files, locks, signal }: Wanted): Promise<Lock[]> {
  const held: Lock[] = [];
  const until = performance.now() + PATIENCE_MS;
  try {
    for (const name of new Set(files.map((file) => lockNameIn(locks, file)).sort())) {
      const lock = await lockFile(name, { maxWaitMs: until - performance.now(), signal });
      if (lock) held.push(lock);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined || signal.aborted) {
      for (const lock of held) lock.release();
      throw error;
    }
  }
  return held;
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isInside(one, other) || isInside(other, one)));
}
