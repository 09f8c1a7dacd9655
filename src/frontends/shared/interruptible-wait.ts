import type { Waiting } from '../../providers/local/wait-for-server.ts';

type Talk = { print(text: string): void; onInterrupt(listener: () => boolean): void };

/** Says that a server is waited for; an interrupt ends the wait. */
export function interruptibleWait(talk: Talk): Waiting {
  const stop = new AbortController();
  return {
    signal: stop.signal,
    notice(text) {
      talk.print(text);
      talk.onInterrupt(() => {
        const isFirst = !stop.signal.aborted;
        stop.abort();
        return isFirst;
      });
    },
  };
}
