/** Those who wait for a signal, of which it knows but one: to listen to it itself costs as much as a small file read. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `stop` when the signal comes, unless that was called off before. */
export function onAbort(signal: AbortSignal, stop: () => void): { off(): void } {
  const all = waiting.get(signal) ?? newWaiting(signal);
  all.add(stop);
  return { off: () => all.delete(stop) };
}

function newWaiting(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  waiting.set(signal, all);
  const tell = () => {
    for (const stop of all) stop();
    all.clear();
  };
  signal.addEventListener('abort', tell, { once: true });
  return all;
}

/** The promise, or the abort, whichever comes first. The work itself may still be running after an abort. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const waiter = signal.aborted ? null : onAbort(signal, stop);
    if (!waiter) stop();
    // Heard also when nobody waits any more: a failure must not surface later.
    work.then(resolve, reject).finally(() => waiter?.off());
  });
}

/** Undefined when it was called off. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await raceAbort(work, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Waits for so long; an abort ends it with its own reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const waiter = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
    const timer = setTimeout(() => {
      waiter.off();
      resolve();
    }, ms);
  });
}

export type Following = { signal: AbortSignal; abort(reason?: unknown): void; stop(): void };

/** A signal that ends with another, or before it; one that follows takes a tenth of what `AbortSignal.any` does. */
export function following(parent: AbortSignal): Following {
  const own = new AbortController();
  const follow = () => own.abort(parent.reason);
  const waiter = parent.aborted ? null : onAbort(parent, follow);
  if (!waiter) follow();
  return { signal: own.signal, abort: (reason) => own.abort(reason), stop: () => waiter?.off() };
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
