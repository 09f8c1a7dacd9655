/**
 * Waits for work up to a time limit or an abort. The timer is not unref'ed: the awaited program may not keep
 * the process alive.
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
