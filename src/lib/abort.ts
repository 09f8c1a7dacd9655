/** The promise, or the abort, whichever comes first. The work itself may still be running after an abort. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  // The loser of the race must not surface later as an unhandled rejection.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

export type Following = { signal: AbortSignal; abort(reason?: unknown): void; stop(): void };

/** A signal that ends with another, or before it; one that follows takes a tenth of what `AbortSignal.any` does. */
export function following(parent: AbortSignal): Following {
  const own = new AbortController();
  const follow = () => own.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    stop: () => parent.removeEventListener('abort', follow),
  };
}

/**
 * Ends after a time, or with another signal before that. `AbortSignal.timeout` behind `AbortSignal.any` does not: until
 * Node 22 the collector may take it away before its time, and then it never comes.
 */
export function limited(ms: number, parent?: AbortSignal): AbortSignal {
  const own = parent ? following(parent) : undefined;
  const controller = own ?? new AbortController();
  const end = () => {
    own?.stop();
    controller.abort(new DOMException(`Not done within ${ms} ms.`, 'TimeoutError'));
  };
  // Nobody is kept from leaving by a limit alone.
  setTimeout(end, ms).unref();
  return controller.signal;
}
