import { ProviderError } from '../../contract/errors.ts';
import type { Provider } from '../../contract/provider.ts';
import { pause } from '../../lib/async/abort.ts';

/** Vendors ask clients to allow this long for a request of the cheaper tier. */
export const FLEX_PATIENCE_MS = 900_000;
const FIRST_DELAY_MS = 5_000;
const LONGEST_DELAY_MS = 60_000;

export type FlexOptions = {
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  now?: () => number;
};

/**
 * Waits for capacity: the cheaper tier is refused, and not billed, while a vendor has none to spare. After a quarter of an
 * hour the refusal is passed on.
 */
export function withFlexPatience(
  provider: Provider,
  { sleep = pause, now = () => performance.now() }: FlexOptions = {},
): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      const until = now() + FLEX_PATIENCE_MS;
      for (let attempt = 1; ; attempt++) {
        let hasOutput = false;
        try {
          for await (const event of provider.stream(request, signal)) {
            hasOutput ||= event.type !== 'usage';
            yield event;
          }
          return;
        } catch (error) {
          if (signal.aborted || hasOutput || !isRefused(error)) throw error;
          const { kind, message, retryAfterMs = 0 } = error;
          const delayMs = Math.max(
            retryAfterMs,
            Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS),
          );
          if (now() + delayMs > until) throw error;
          yield { type: 'retry', kind, message, attempt, delayMs };
          await sleep(delayMs, signal);
        }
      }
    },
  };
}

function isRefused(error: unknown): error is ProviderError {
  return error instanceof ProviderError && (error.kind === 'rate_limit' || error.kind === 'overloaded');
}
