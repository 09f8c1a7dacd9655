import { rename } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 12;
const FIRST_PAUSE_MS = 5;

/** Error codes for a file in use on Windows. */
const IN_USE = ['EPERM', 'EACCES', 'EBUSY'];

type Renaming = { platform?: NodeJS.Platform; move?(from: string, to: string): Promise<void> };

/**
 * A rename with retries. Windows refuses to replace an open file, even if a virus scanner has it open only
 * briefly; elsewhere the first error is final.
 */
export async function renameWithRetry(
  from: string,
  to: string,
  { platform = process.platform, move = rename }: Renaming = {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await move(from, to);
    } catch (error) {
      const inUse = IN_USE.includes((error as NodeJS.ErrnoException).code ?? '');
      if (platform !== 'win32' || !inUse || attempt === TRIES) throw error;
      await sleep(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), 200));
    }
  }
}
