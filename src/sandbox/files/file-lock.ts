import { type Lock, lockFile, lockNameIn } from '../../lib/files/lock.ts';
import { isInside } from '../../lib/paths/inside.ts';

/** How long a file is waited for that another process holds, before the deed goes on without it. */
const PATIENCE_MS = 30_000;

export type FileLocks = {
  /**
   * Runs a deed while no other one changes the same files, or folders they are in, here or in another process. Deeds
   * take turns in the order they came; one that was called off while it waited does not run.
   */
  run<T>(files: readonly string[], signal: AbortSignal, deed: () => Promise<T>): Promise<T>;
};

/**
 * Turns at files by their real paths, so that all names of a file are one. Where the folder of locks cannot be written,
 * the turns are those of this process alone.
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

/** In one order, so that two processes never wait for each other. A process that hangs cannot stop others for ever. */
async function lockAll({ files, locks, signal }: Wanted): Promise<Lock[]> {
  const held: Lock[] = [];
  const until = performance.now() + PATIENCE_MS;
  try {
    for (const name of new Set(files.map((file) => lockNameIn(locks, file)).sort())) {
      const lock = await lockFile(name, { patienceMs: until - performance.now(), signal });
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
