import { ProviderError } from '../../contract/errors.ts';
import type { Provider } from '../../contract/provider.ts';
import { pause } from '../../lib/async/abort.ts';

const LOADING = /load(ing)? (the )?model|model is (still )?(being )?load(ing|ed)|model not (yet )?loaded/i;
const PATIENCE_MS = 120_000;
const LOOK_AGAIN_MS = 500;

export type LoadingOptions = { patienceMs?: number; lookAgainMs?: number };

/** Waits while a server that was just started, or just switched models, loads one from disk. */
export function withLoadingWait(
  provider: Provider,
  { patienceMs = PATIENCE_MS, lookAgainMs = LOOK_AGAIN_MS }: LoadingOptions = {},
): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      const until = performance.now() + patienceMs;
      for (;;) {
        try {
          return yield* provider.stream(request, signal);
        } catch (error) {
          if (!isLoading(error) || signal.aborted || performance.now() > until) throw error;
        }
        await pause(lookAgainMs, signal);
      }
    },
  };
}

/** Only a server that reports it before its first output is waited for, recognized by the status. */
function isLoading(error: unknown): boolean {
  return error instanceof ProviderError && error.status === 503 && LOADING.test(error.message);
}
