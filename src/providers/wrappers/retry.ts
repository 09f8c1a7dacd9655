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
      let said = '';
      for (let attempt = 1; ; attempt++) {
        let begun = said !== '';
        let wait: { error: ProviderError; delayMs: number };
        try {
          for await (const event of provider.stream(goingOn(request, said, provider.name), signal)) {
            said = saidWith(said, event);
            // Usage before the first output does not count as output.
            begun ||= event.type !== 'usage';
            yield event;
          }
          return;
        } catch (error) {
          if (signal.aborted || attempt > maxRetries || !mayPass(error, begun)) throw error;
          wait = { error, delayMs: delayFor(error, attempt, random()) };
        }
        const { error, delayMs } = wait;
        yield { type: 'retry', kind: error.kind, message: error.message, attempt, delayMs };
        await sleep(delayMs, signal);
      }
    },
  };
}

const GO_ON =
  '[The connection broke in the middle of your answer. You see the part that arrived. Continue exactly where it stops: repeat nothing, and do not mention the break. A call you were making did not arrive; make it again.]';

function goingOn(request: CompletionRequest, said: string, provider: string): CompletionRequest {
  if (said.trim() === '') return request;
  const { model, messages } = request;
  const timestamp = messages.at(-1)?.timestamp ?? '';
  const partial = { type: 'text' as const, text: said };
  return {
    ...request,
    messages: [
      ...messages,
      { role: 'assistant', content: [partial], provider, model, stopReason: 'cut', timestamp },
      { role: 'user', content: [{ type: 'text', text: GO_ON }], timestamp },
    ],
  };
}

function saidWith(said: string, event: ProviderEvent): string {
  if (event.type === 'text') return said + event.text;
  return event.type === 'reclassify' && event.as === 'thinking' ? '' : said;
}

function mayPass(error: unknown, begun: boolean): error is ProviderError {
  if (!(error instanceof ProviderError)) return false;
  return RETRYABLE.has(error.kind) || (error.kind === 'cut' && begun);
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
    `${message.replace(/[.\s]+$/, '')}. ${provider} says to retry in ${inWords(retryAfterMs)}.`,
    { kind, provider, retryAfterMs, ...(status === undefined ? {} : { status }) },
    { cause: error },
  );
}

function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
