import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import type { Provider, ProviderEvent } from '../../contract/provider.ts';

/** Failures not caused by the request itself: another model may well answer it. */
const ELSEWHERE: ReadonlySet<ProviderErrorKind> = new Set([
  'rate_limit',
  'overloaded',
  'server_error',
  'timeout',
  'network',
  'quota',
]);
/** Events that are no part of an answer. */
const SILENT: ReadonlySet<ProviderEvent['type']> = new Set(['usage', 'retry', 'loading']);
/** How long the first model is skipped after a failure. */
const REST_MS = 300_000;

export type Stand = { provider: Provider; model: string; maxOutputTokens: number };

export type FallbackOptions = {
  /** The fallback model; null if there is none. Gets the error, so that it can be shown. */
  standIn(error: ProviderError, signal: AbortSignal): Promise<Stand | null>;
  /** Which failures trigger the fallback; default: those not caused by the request. */
  kinds?: ReadonlySet<ProviderErrorKind>;
  now?: () => number;
};

/**
 * If the first model fails, a fallback answers: this request, and all others until the first one's pause is
 * over.
 */
export function withFallback(
  provider: Provider,
  { standIn, kinds = ELSEWHERE, now = Date.now }: FallbackOptions,
): Provider {
  let resting: { until: number; stand: Stand } | undefined;
  return {
    ...provider,
    async *stream(request, signal) {
      let stand = resting && now() < resting.until ? resting.stand : null;
      if (!stand) {
        let begun = false;
        try {
          for await (const event of provider.stream(request, signal)) {
            begun ||= !SILENT.has(event.type);
            yield event;
          }
          return;
        } catch (error) {
          if (begun || signal.aborted || !(error instanceof ProviderError) || !kinds.has(error.kind))
            throw error;
          stand = await standIn(error, signal);
          if (!stand) throw error;
          resting = { until: now() + REST_MS, stand };
        }
      }
      const { model, maxOutputTokens } = stand;
      yield { type: 'model', provider: stand.provider.name, model };
      const { maxTokens } = request;
      const fitting = maxTokens === undefined ? {} : { maxTokens: Math.min(maxTokens, maxOutputTokens) };
      yield* stand.provider.stream({ ...request, model, ...fitting }, signal);
    },
  };
}
