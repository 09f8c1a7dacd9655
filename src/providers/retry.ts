import { ProviderError, type ProviderErrorKind } from '../contract/errors.ts';
import type { Provider } from '../contract/provider.ts';

const MAX_RETRIES = 3;
const FIRST_DELAY_MS = 1000;
const MULTIPLIER = 2;
const MAX_DELAY_MS = 10_000;
/** Up to this share of a delay is added, so that many clients do not come back at the same moment. */
const JITTER = 0.1;
/** A vendor that wants a longer pause than this is not waited for: the user is told when to come back. */
const LONGEST_WAIT_MS = 60_000;

const RETRYABLE: ReadonlySet<ProviderErrorKind> = new Set(['rate_limit', 'overloaded', 'timeout']);

export type RetryOptions = {
  maxRetries?: number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1; decides the jitter. */
  random?: () => number;
};

/** Sends a request again while nothing of its answer has been passed on and the failure may pass. */
export function withRetry(provider: Provider, options: RetryOptions = {}): Provider {
  const { maxRetries = MAX_RETRIES, sleep = sleepUntilAborted, random = Math.random } = options;
  return {
    ...provider,
    async *stream(request, signal) {
      for (let attempt = 1; ; attempt++) {
        let begun = false;
        let wait: { error: ProviderError; delayMs: number };
        try {
          for await (const event of provider.stream(request, signal)) {
            // A vendor that counts before it speaks has said nothing yet.
            begun ||= event.type !== 'usage';
            yield event;
          }
          return;
        } catch (error) {
          if (begun || signal.aborted || attempt > maxRetries || !isRetryable(error)) throw error;
          wait = { error, delayMs: delayFor(error, attempt, random()) };
        }
        const { error, delayMs } = wait;
        yield { type: 'retry', kind: error.kind, message: error.message, attempt, delayMs };
        await sleep(delayMs, signal);
      }
    },
  };
}

function isRetryable(error: unknown): error is ProviderError {
  return error instanceof ProviderError && RETRYABLE.has(error.kind);
}

function delayFor(error: ProviderError, attempt: number, random: number): number {
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined && retryAfterMs > LONGEST_WAIT_MS) throw comeBackLater(error, retryAfterMs);
  const backoff = Math.min(FIRST_DELAY_MS * MULTIPLIER ** (attempt - 1), MAX_DELAY_MS);
  return Math.max(retryAfterMs ?? 0, Math.min(Math.round(backoff * (1 + JITTER * random)), MAX_DELAY_MS));
}

function comeBackLater(error: ProviderError, retryAfterMs: number): ProviderError {
  const { message, kind, provider, status } = error;
  return new ProviderError(
    `${message.replace(/[.\s]+$/, '')}. ${provider} asks to come back in ${inWords(retryAfterMs)}.`,
    { kind, provider, retryAfterMs, ...(status === undefined ? {} : { status }) },
    { cause: error },
  );
}

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
