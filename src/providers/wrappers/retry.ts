import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
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
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1; determines the jitter. */
  random?: () => number;
};

/**
 * Retries transient failures. An interrupted answer is continued: the model gets its partial output. Calls of
 * an interrupted answer have not run, so nothing is done twice.
 */
export function withRetry(provider: Provider, options: RetryOptions = {}): Provider {
  const { maxRetries = MAX_RETRIES, sleep = pause, random = Math.random } = options;
  return {
    ...provider,
    async *stream(request, signal) {
      let received = '';
      for (let attempt = 1; ; attempt++) {
        let hasOutput = received !== '';
        let wait: { error: ProviderError; delayMs: number };
        try {
          for await (const event of provider.stream(continued(request, received, provider.name), signal)) {
            received = textAfter(received, event);
            // Usage before the first output does not count as output.
            hasOutput ||= event.type !== 'usage';
            yield event;
          }
          return;
        } catch (error) {
          if (signal.aborted || attempt > maxRetries || !isRetryable(error, hasOutput)) throw error;
          wait = { error, delayMs: delayFor(error, attempt, random()) };
        }
        const { error, delayMs } = wait;
        yield { type: 'retry', kind: error.kind, message: error.message, attempt, delayMs };
        await sleep(delayMs, signal);
      }
    },
  };
}

const CONTINUE_PROMPT =
  '[The connection broke in the middle of your answer. You see the part that arrived. Continue exactly where it stops: repeat nothing, and do not mention the break. A call you were making did not arrive; make it again.]';

function continued(request: CompletionRequest, received: string, provider: string): CompletionRequest {
  if (received.trim() === '') return request;
  const { model, messages } = request;
  const timestamp = messages.at(-1)?.timestamp ?? '';
  const partial = { type: 'text' as const, text: received };
  return {
    ...request,
    messages: [
      ...messages,
      { role: 'assistant', content: [partial], provider, model, stopReason: 'cut', timestamp },
      { role: 'user', content: [{ type: 'text', text: CONTINUE_PROMPT }], timestamp },
    ],
  };
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
