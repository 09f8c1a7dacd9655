/** Yields the same items; if the first one takes longer than `afterMs`, `work` starts meanwhile. */
export async function* whileWaiting<Item>(
  items: AsyncIterable<Item>,
  { afterMs, work }: { afterMs: number; work(): void },
): AsyncGenerator<Item> {
  const timer = setTimeout(work, afterMs);
  try {
    for await (const item of items) {
      clearTimeout(timer);
      yield item;
    }
  } finally {
    clearTimeout(timer);
  }
}
