import { pause } from '../../lib/async/abort.ts';
import { type Lock, lockFile } from '../../lib/files/lock.ts';
import { isInside } from '../../lib/paths/inside.ts';

/** How often a file is asked for that another process holds, and how long before the deed goes on without it. */
const ASK_AGAIN_MS = 10;
const PATIENCE_MS = 30_000;

export type FileTurns = {
  /**
   * Runs a deed while no other one changes the same files, or folders they are in, here or in another process. Deeds
   * take turns in the order they came; one that was called off while it waited does not run.
   */
  run<T>(files: readonly string[], signal: AbortSignal, deed: () => Promise<T>): Promise<T>;
};

/** Turns at files by their real paths, so that all names of a file are one. */
export function createFileTurns(): FileTurns {
  const turns = new Set<{ files: readonly string[]; over: Promise<unknown> }>();

  async function inTurn<T>(
    files: readonly string[],
    signal: AbortSignal,
    deed: () => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const locks = await lockAll(files, signal);
    try {
      return await deed();
    } finally {
      for (const lock of locks) await lock.release();
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

/** In one order, so that two processes never wait for each other. A process that hangs cannot stop others for ever. */
async function lockAll(files: readonly string[], signal: AbortSignal): Promise<Lock[]> {
  const locks: Lock[] = [];
  const until = performance.now() + PATIENCE_MS;
  try {
    for (const file of [...new Set(files)].sort()) {
      let lock = await lockFile(`${file}#change`);
      while (!lock && performance.now() < until) {
        await pause(ASK_AGAIN_MS, signal);
        lock = await lockFile(`${file}#change`);
      }
      if (lock) locks.push(lock);
    }
    return locks;
  } catch (error) {
    for (const lock of locks) await lock.release();
    throw error;
  }
}

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => isInside(one, other) || isInside(other, one)));
}
