import type { ProviderEvent } from '../contract/provider.ts';

type Delta = Extract<ProviderEvent, { type: 'text' | 'thinking' }>;

/** Fast enough to look continuous; few enough events to save, and frames to draw. */
const INTERVAL_MS = 33;

/**
 * Joins the small pieces of a stream: the first text after a pause is passed on immediately, then text is
 * collected for this time. Other events come after the text before them, and a stream that fails loses none.
 */
export async function* joinDeltas(stream: AsyncIterable<ProviderEvent>): AsyncGenerator<ProviderEvent> {
  const source = stream[Symbol.asyncIterator]();
  let held = null as Delta | null;
  let passedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let due: Promise<'due'> | undefined;
  function* release(): Generator<Delta> {
    clearTimeout(timer);
    if (!held) return;
    const delta = held;
    held = null;
    passedAt = performance.now();
    yield delta;
  }
  try {
    let next = source.next();
    for (;;) {
      const result: IteratorResult<ProviderEvent> | 'due' = await (held && due
        ? Promise.race([next, due])
        : next);
      if (result === 'due') {
        yield* release();
        continue;
      }
      if (result.done) return yield* release();
      const event: ProviderEvent = result.value;
      if (held && isDelta(event) && isSameKind(event, held)) {
        held = { ...held, text: held.text + event.text };
      } else {
        yield* release();
        const wait = passedAt + INTERVAL_MS - performance.now();
        if (isDelta(event) && wait > 0) {
          held = event;
          due = new Promise((resolve) => {
            timer = setTimeout(resolve, wait, 'due');
          });
        } else {
          if (isDelta(event)) passedAt = performance.now();
          yield event;
        }
      }
      next = source.next();
    }
  } catch (error) {
    yield* release();
    throw error;
  } finally {
    clearTimeout(timer);
    await source.return?.();
  }
}

function isDelta(event: ProviderEvent): event is Delta {
  return event.type === 'text' || event.type === 'thinking';
}

function isSameKind(a: Delta, b: Delta): boolean {
  return a.type === b.type && 'note' in a === 'note' in b;
}
