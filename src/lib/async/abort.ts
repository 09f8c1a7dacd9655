/** Waiters per signal. Adding a listener to the signal itself costs as much as a small file read. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `stop` when the signal aborts, unless removed before. */
export function onAbort(signal: AbortSignal, stop: () => void): { off(): void } {
  const all = waiting.get(signal) ?? newWaiting(signal);
  all.add(stop);
  return { off: () => all.delete(stop) };
}

function newWaiting(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  waiting.set(signal, all);
  const notify = () => {
    for (const stop of all) stop();
    all.clear();
  };
  signal.addEventListener('abort', notify, { once: true });
  return all;
}

/** The promise or the abort, whichever comes first. The work itself may still run after an abort. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const waiter = signal.aborted ? null : onAbort(signal, stop);
    if (!waiter) stop();
    // Handled even when nothing waits any more: a late failure must not surface as an unhandled rejection.
    work.then(resolve, reject).finally(() => waiter?.off());
  });
}

/** Undefined when aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await raceAbort(work, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Waits for the given time; an abort rejects with its reason. */
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

/** A signal that aborts with its parent or before it. Costs a tenth of `AbortSignal.any`. */
export function following(parent: AbortSignal): Following {
  const own = new AbortController();
  const follow = () => own.abort(parent.reason);
  const waiter = parent.aborted ? null : onAbort(parent, follow);
  if (!waiter) follow();
  return { signal: own.signal, abort: (reason) => own.abort(reason), stop: () => waiter?.off() };
}

/**
 * Aborts after a time, or earlier with the parent signal. `AbortSignal.timeout` in `AbortSignal.any` is
 * unreliable: up to Node 22 it may be garbage-collected before it fires.
 */
export function limited(ms: number, parent?: AbortSignal): AbortSignal {
  const own = parent ? following(parent) : undefined;
  const controller = own ?? new AbortController();
  const end = () => {
    own?.stop();
    controller.abort(new DOMException(`Timed out after ${ms} ms.`, 'TimeoutError'));
  };
  // The timer alone must not keep the process alive.
  setTimeout(end, ms).unref();
  return controller.signal;
}
