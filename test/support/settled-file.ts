import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Resolves when a file's last change is so long ago that its version counts. */
export async function settledFile(file: string): Promise<void> {
  const { ctimeMs } = await stat(file);
  while (Date.now() - ctimeMs < 60) await pause(20);
}
