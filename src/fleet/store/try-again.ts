import { UserError } from '../../contract/errors.ts';
import { pause } from '../../lib/async/abort.ts';

export type Trying = {
  /** Aborted: the last error counts. */
  signal: AbortSignal;
  /** Gets a sentence the first time. */
  onTrouble(text: string): void;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const LONGEST_MS = 600_000;

/** For stores that other machines serve: they are busy, restarted or out of reach now and then. */
export async function tryAgain<T>(work: () => Promise<T>, { signal, onTrouble }: Trying): Promise<T> {
  const until = performance.now() + LONGEST_MS;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UserError || signal.aborted || performance.now() > until) throw error;
      if (waitMs === FIRST_WAIT_MS)
        onTrouble(`The store does not answer, trying again: ${(error as Error).message}`);
      await pause(waitMs, signal).catch(() => undefined);
    }
  }
}
