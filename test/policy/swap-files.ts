import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** `file`: a file and a link to elsewhere take turns; `folder`: a folder and a link to another; `twin`: a file and a second name of another. */
export type Swap = { type: 'file' | 'folder' | 'twin'; place: string; elsewhere: string };

/**
 * Runs in a thread of its own, so that it strikes between any two system calls of the other. It counts its turns
 * in shared memory and leaves the innocent thing in place when it stops.
 */
const source = `
  const fs = require('node:fs');
  const { workerData: { swap, shared } } = require('node:worker_threads');
  const flags = new Int32Array(shared);
  const { type, place, elsewhere } = swap;
  const spare = place + '.spare';
  const turns = {
    file() {
      fs.symlinkSync(elsewhere, spare);
      fs.renameSync(spare, place);
      fs.writeFileSync(spare, 'mine');
      fs.renameSync(spare, place);
    },
    twin() {
      fs.linkSync(elsewhere, spare);
      fs.renameSync(spare, place);
      fs.writeFileSync(spare, 'mine');
      fs.renameSync(spare, place);
    },
    folder() {
      fs.renameSync(place, spare);
      fs.symlinkSync(elsewhere, place);
      fs.unlinkSync(place);
      fs.renameSync(spare, place);
    },
  };
  // The other side makes and removes files in between; that is no reason to stop.
  function tolerating(deed) {
    try {
      deed();
      return true;
    } catch (error) {
      if (['EEXIST', 'ENOENT', 'ENOTEMPTY', 'EISDIR', 'EPERM', 'ENOTDIR', 'EBUSY'].includes(error.code)) return false;
      throw error;
    }
  }
  function restore() {
    if (type !== 'folder') return fs.rmSync(spare, { force: true });
    if (!fs.existsSync(spare)) return;
    fs.rmSync(place, { recursive: true, force: true });
    fs.renameSync(spare, place);
  }
  while (Atomics.load(flags, 0) === 0) {
    if (tolerating(turns[type])) Atomics.add(flags, 1, 1);
    else tolerating(restore);
  }
`;

/** Swaps without pause while `deed` runs, from the first turn on; `deed` may ask how many turns there were so far. */
export async function whileSwapping(
  swap: Swap,
  deed: (turns: () => number) => Promise<void>,
): Promise<number> {
  const shared = new SharedArrayBuffer(8);
  const flags = new Int32Array(shared);
  const turns = () => Atomics.load(flags, 1);
  const worker = new Worker(source, { eval: true, workerData: { swap, shared } });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
  const begun = (async () => {
    while (turns() === 0) await setTimeout(2);
  })();
  try {
    await Promise.race([begun, ended]);
    await deed(turns);
  } finally {
    Atomics.store(flags, 0, 1);
    // Lets the wait above end when the thread never began.
    Atomics.add(flags, 1, 1);
    await ended;
  }
  return turns();
}
