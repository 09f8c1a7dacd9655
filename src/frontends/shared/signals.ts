import { constants } from 'node:os';
import type { Terminal } from './terminal.ts';

/** How long the program takes at most to end in good order; service managers kill after ten seconds. */
const LEAVING_MS = 8_000;

const ENDING = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Comes with the first signal that asks the program to end: no more prompts, no more requests, no more calls. A second
 * signal, or a long wait, ends the process at once.
 */
export function shutdownSignal({ onSignal }: Pick<Terminal, 'onSignal'>): AbortSignal {
  const leaving = new AbortController();
  for (const name of ENDING) {
    onSignal(name, () => {
      const end = () => process.exit(128 + constants.signals[name]);
      if (leaving.signal.aborted) end();
      setTimeout(end, LEAVING_MS).unref();
      leaving.abort(new DOMException(`The program was ended by ${name}.`, 'AbortError'));
    });
  }
  return leaving.signal;
}
