import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Resolves when a file's last change is old enough for its version to be reliable. */
export async function settledFile(file: string): Promise<void> {
  const { ctimeMs } = await stat(file);
  while (Date.now() - ctimeMs < 60) await pause(20);
}
