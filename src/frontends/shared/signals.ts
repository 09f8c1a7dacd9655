import { constants } from 'node:os';
import type { Terminal } from './terminal.ts';

/** Maximum time for a clean shutdown; service managers kill after ten seconds. */
const LEAVING_MS = 8_000;

const ENDING = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Aborted by the first termination signal: no more prompts, requests or calls. A second signal, or a long
 * wait, ends the process immediately.
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
