import { type Lock, lockFile } from './lock.ts';

const LOOK_AGAIN_MS = 500;

/** Waits as long as another process holds the lock; `waiting` is called twice a second meanwhile. */
export async function waitForLock(
  file: string,
  { signal, waiting }: { signal: AbortSignal; waiting(): Promise<void> | void },
): Promise<Lock> {
  for (;;) {
    const lock = await lockFile(file, { maxWaitMs: LOOK_AGAIN_MS, signal });
    if (lock) return lock;
    await waiting();
  }
}
