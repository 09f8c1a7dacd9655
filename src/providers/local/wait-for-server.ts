import { UserError } from '../../contract/errors.ts';
import { pause } from '../../lib/async/abort.ts';
import { LOADING_TIMEOUT_MS, RETRY_MS } from '../wrappers/loading.ts';
import type { ServerState } from './server-state.ts';

export type Waiting = {
  /** One line for the user. */
  notice(text: string): void;
  /** Ends the wait. */
  signal?: AbortSignal;
};

const NEVER = new AbortController().signal;

/** Looks again and again while a server loads its model; says so once. */
export async function waitForServer<Seen extends { state?: ServerState } | undefined>(
  look: () => Promise<Seen>,
  { notice, signal = NEVER, label }: Waiting & { label: string },
): Promise<Seen> {
  const until = performance.now() + LOADING_TIMEOUT_MS;
  let seen = await look();
  if (seen?.state === 'loading')
    notice(`${label} is still loading its model; waiting. Press Ctrl+C to stop.`);
  while (seen?.state === 'loading' && performance.now() < until) {
    await pause(RETRY_MS, signal).catch(() => {
      throw new UserError(
        `Stopped waiting for ${label}.`,
        'Start again when its model is loaded, or choose another model with --model.',
        { exit: 'error' },
      );
    });
    seen = await look();
  }
  return seen;
}
