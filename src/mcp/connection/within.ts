/**
 * Waits for work, but no longer than this, nor after an abort. Its timer holds the process: whoever is waited for may
 * be a program that does not.
 */
export async function within(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const over = new Promise<void>((resolve) => {
    stop = resolve;
    timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) resolve();
  });
  try {
    await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    if (stop) signal?.removeEventListener('abort', stop);
  }
}
