import { ProviderError } from '../../contract/errors.ts';
import type { Provider } from '../../contract/provider.ts';
import { pause } from '../../lib/async/abort.ts';
import { meansLoading } from '../local/server-state.ts';

/** Large models take minutes to load from a slow disk; the user can interrupt at any time. */
export const LOADING_TIMEOUT_MS = 600_000;
export const RETRY_MS = 500;

export type LoadingOptions = {
  timeoutMs?: number;
  retryMs?: number;
  /** Called once per request that has to wait. */
  onWait?(): void;
};

/** Waits while a server that was just started, or just switched models, loads one from disk. */
export function withLoadingWait(
  provider: Provider,
  { timeoutMs = LOADING_TIMEOUT_MS, retryMs = RETRY_MS, onWait }: LoadingOptions = {},
): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      const until = performance.now() + timeoutMs;
      for (let tries = 1; ; tries++) {
        try {
          return yield* provider.stream(request, signal);
        } catch (error) {
          if (!isLoading(error) || signal.aborted || performance.now() > until) throw error;
        }
        if (tries === 1) onWait?.();
        await pause(retryMs, signal);
      }
    },
  };
}

/** Only a server that reports it before its first output is waited for, recognized by the status. */
function isLoading(error: unknown): boolean {
  return error instanceof ProviderError && meansLoading(error.status, error.message);
}
