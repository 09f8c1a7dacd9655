import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import type { Provider, ProviderEvent } from '../../contract/provider.ts';
import { pause } from '../../lib/async/abort.ts';

export const MAX_RETRIES = 3;
const FIRST_DELAY_MS = 1000;
const MULTIPLIER = 2;
const MAX_DELAY_MS = 10_000;
/** Up to this share of a delay is added, so that many clients don't retry at the same moment. */
const JITTER = 0.1;
/** A longer delay is not waited for: the error says when to retry. */
const LONGEST_WAIT_MS = 60_000;

const RETRYABLE: ReadonlySet<ProviderErrorKind> = new Set([
  'rate_limit',
  'overloaded',
  'server_error',
  'timeout',
]);

export type RetryOptions = {
  maxRetries?: number;
  /** Starts over also after text, which nobody has seen. */
  restarts?: boolean;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1; determines the jitter. */
  random?: () => number;
};

/**
 * Retries transient failures as long as no text has arrived: calls of an interrupted answer have not run, so nothing is
 * done twice. After text, the conversation decides: it asks for the rest (`continueAfter`).
 */
export function withRetry(provider: Provider, options: RetryOptions = {}): Provider {
  const { maxRetries = MAX_RETRIES, sleep = pause, random = Math.random, restarts = false } = options;
  return {
    ...provider,
    async *stream(request, signal) {
      for (let attempt = 1; ; attempt++) {
        let text = '';
        let hasOutput = false;
        let wait: { error: ProviderError; delayMs: number };
        try {
          for await (const event of provider.stream(request, signal)) {
            text = textAfter(text, event);
            // Usage before the first output does not count as output.
            hasOutput ||= event.type !== 'usage' && event.type !== 'input_transformed';
            yield event;
          }
          return;
        } catch (error) {
          const isOver = text.trim() !== '' && !restarts;
          if (signal.aborted || isOver || attempt > maxRetries || !isRetryable(error, hasOutput)) throw error;
          wait = { error, delayMs: delayFor(error, attempt, random()) };
        }
        const { error, delayMs } = wait;
        yield { type: 'retry', kind: error.kind, message: error.message, attempt, delayMs };
        await sleep(delayMs, signal);
      }
    },
  };
}

/** The same policy for a conversation: how long to wait before it asks for the rest; undefined if never. */
export function continueAfter(error: unknown, attempt: number): number | undefined {
  if (attempt > MAX_RETRIES || !isRetryable(error, true)) return undefined;
  return delayFor(error, attempt, Math.random());
}

function textAfter(received: string, event: ProviderEvent): string {
  if (event.type === 'text') return received + event.text;
  return event.type === 'reclassify' && event.as === 'thinking' ? '' : received;
}

function isRetryable(error: unknown, hasOutput: boolean): error is ProviderError {
  if (!(error instanceof ProviderError)) return false;
  return RETRYABLE.has(error.kind) || (error.kind === 'cut' && hasOutput);
}

function delayFor(error: ProviderError, attempt: number, random: number): number {
  const { retryAfterMs } = error;
  if (retryAfterMs !== undefined && retryAfterMs > LONGEST_WAIT_MS)
    throw retryLaterError(error, retryAfterMs);
  const backoff = Math.min(FIRST_DELAY_MS * MULTIPLIER ** (attempt - 1), MAX_DELAY_MS);
  return Math.max(retryAfterMs ?? 0, Math.min(Math.round(backoff * (1 + JITTER * random)), MAX_DELAY_MS));
}

function retryLaterError(error: ProviderError, retryAfterMs: number): ProviderError {
  const { message, kind, provider, status } = error;
  return new ProviderError(
    `${message.replace(/[.\s]+$/, '')}. ${provider} says to retry in ${formatWait(retryAfterMs)}.`,
    { kind, provider, retryAfterMs, ...(status === undefined ? {} : { status }) },
    { cause: error },
  );
}

function formatWait(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
