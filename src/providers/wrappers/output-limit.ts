import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';

/** A shorter limit is not worth a request. */
const LEAST = 256;
/** The first number in a message may be the requested one. */
const MOST_TRIES = 3;

const OUTPUT_LIMIT =
  /max[\s_]?(output|completion|new)?[\s_]?tokens|(output|completion) tokens|maximum tokens you requested/i;

/** Retries with a lower output limit if the server rejects the requested one, and remembers it per model. */
export function withOutputLimit(provider: Provider): Provider {
  const limits = new Map<string, number>();
  const within = (request: CompletionRequest): CompletionRequest => {
    const limit = limits.get(request.model);
    return limit === undefined
      ? request
      : { ...request, maxTokens: Math.min(request.maxTokens ?? limit, limit) };
  };
  return {
    ...provider,
    async *stream(request, signal) {
      for (let tries = 1; ; tries++) {
        const asked = within(request);
        let hasOutput = false;
        try {
          for await (const event of provider.stream(asked, signal)) {
            hasOutput = true;
            yield event;
          }
          return;
        } catch (error) {
          const limit = hasOutput || tries > MOST_TRIES ? null : outputLimitIn(error, asked.maxTokens);
          if (limit === null || signal.aborted) throw error;
          limits.set(request.model, limit);
        }
      }
    },
  };
}

/** The server's output limit from an error; null if the error is about something else. */
export function outputLimitIn(error: unknown, asked = Number.POSITIVE_INFINITY): number | null {
  if (!(error instanceof ProviderError) || error.kind !== 'bad_request') return null;
  const { message } = error;
  if (!OUTPUT_LIMIT.test(message)) return null;
  const numbers = [...message.matchAll(/(?<![\w.-])\d[\d,]*(?![\w-])/g)].map(([text]) =>
    Number(text.replaceAll(',', '')),
  );
  const limit = Math.max(...numbers.filter((number) => number >= LEAST && number < asked));
  if (!Number.isFinite(limit)) return null;
  return /exclusive|(lower|less) than \d/i.test(message) ? limit - 1 : limit;
}
