import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from './lock.ts';

const ASK_AGAIN_MS = 10;
/** A process that hangs cannot keep others from their work for ever. */
const PATIENCE_MS = 60_000;

/**
 * Reads, changes and writes a file that other processes change, too: one after the other, so that no change is lost.
 * Everything between the reading and the writing belongs into `update`.
 */
export async function updateFile<T>(file: string, update: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  const name = `${file}#update`;
  let lock = await lockFile(name);
  while (!lock && performance.now() < until) {
    await sleep(ASK_AGAIN_MS);
    lock = await lockFile(name);
  }
  try {
    return await update();
  } finally {
    await lock?.release();
  }
}
