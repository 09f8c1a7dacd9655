import { ProviderError } from '../../contract/errors.ts';
import type { Provider, ProviderEvent } from '../../contract/provider.ts';
import { following } from '../../lib/async/abort.ts';

export type StallLimits = {
  /** Longest silence before the first event. */
  firstMs: number;
  /** Longest silence between two events. */
  betweenMs: number;
};

const STALLED = Symbol('stalled');

/** Ends a stalled stream: aborts the underlying request and throws an error. */
export function withStallLimit(provider: Provider, { firstMs, betweenMs }: StallLimits): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      const inner = following(signal);
      const events = provider.stream(request, inner.signal)[Symbol.asyncIterator]();
      const timer = new StallTimer();
      let last: ProviderEvent | undefined;
      let over = false;
      try {
        for (;;) {
          const limit = last === undefined ? firstMs : betweenMs;
          const step = events.next();
          const next = await timer.await(step, limit);
          if (next === STALLED) {
            over = true;
            const error = stallError(provider.name, { limit, hasOutput: last !== undefined });
            inner.abort(error);
            // The abort rejects the pending step, which is no longer awaited.
            step.catch(() => undefined);
            if (last?.type === 'stop') return;
            throw error;
          }
          if (next.done) {
            over = true;
            return;
          }
          last = next.value;
          yield next.value;
        }
      } finally {
        inner.stop();
        timer.end();
        if (!over) await events.return?.();
      }
    },
  };
}

function stallError(
  provider: string,
  { limit, hasOutput }: { limit: number; hasOutput: boolean },
): ProviderError {
  const seconds = Math.round(limit / 1000);
  return hasOutput
    ? new ProviderError(`The answer stalled: nothing from ${provider} for ${seconds}s.`, {
        kind: 'cut',
        provider,
      })
    : new ProviderError(`No answer from ${provider} within ${seconds}s.`, { kind: 'timeout', provider });
}

/**
 * One timer for the whole stream, restarted for each event: creating one per event would cost as much as the
 * event.
 */
class StallTimer {
  #timer: NodeJS.Timeout | undefined;
  #limit: number | undefined;
  #give: () => void = () => undefined;

  await<T>(step: Promise<T>, ms: number): Promise<T | typeof STALLED> {
    return new Promise((resolve, reject) => {
      this.#give = () => resolve(STALLED);
      step.then(resolve, reject);
      if (this.#limit === ms) this.#timer?.refresh();
      else {
        clearTimeout(this.#timer);
        this.#limit = ms;
        this.#timer = setTimeout(() => this.#give(), ms);
      }
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
