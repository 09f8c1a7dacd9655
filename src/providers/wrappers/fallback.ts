import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import type { Provider, ProviderEvent } from '../../contract/provider.ts';

/** Failures not caused by the request itself: another model may well answer it. */
const FALLBACK_KINDS: ReadonlySet<ProviderErrorKind> = new Set([
  'rate_limit',
  'overloaded',
  'server_error',
  'timeout',
  'network',
  'quota',
]);
/** Events that are no part of an answer. */
const SILENT: ReadonlySet<ProviderEvent['type']> = new Set([
  'usage',
  'retry',
  'loading',
  'input_transformed',
]);
/** How long the first model is skipped after a failure. */
const REST_MS = 300_000;

export type FallbackModel = { provider: Provider; model: string; maxOutputTokens: number };

export type FallbackOptions = {
  /** The fallback model; null if there is none. Gets the error, so that it can be shown. */
  fallback(error: ProviderError, signal: AbortSignal): Promise<FallbackModel | null>;
  /** Named to the user when the first model declines to answer. */
  offered?: string | undefined;
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
  { fallback, offered, kinds = FALLBACK_KINDS, now = Date.now }: FallbackOptions,
): Provider {
  let active: { until: number; chosen: FallbackModel } | undefined;
  return {
    ...provider,
    async *stream(request, signal) {
      let chosen = active && now() < active.until ? active.chosen : null;
      if (!chosen) {
        let hasOutput = false;
        try {
          for await (const event of provider.stream(request, signal)) {
            hasOutput ||= !SILENT.has(event.type);
            yield event.type === 'stop' && event.reason === 'refusal' ? withOffer(event, offered) : event;
          }
          return;
        } catch (error) {
          if (hasOutput || signal.aborted || !(error instanceof ProviderError) || !kinds.has(error.kind))
            throw error;
          chosen = await fallback(error, signal);
          if (!chosen) throw error;
          active = { until: now() + REST_MS, chosen };
        }
      }
      const { model, maxOutputTokens } = chosen;
      yield { type: 'model', provider: chosen.provider.name, model };
      const { maxTokens } = request;
      const fitting = maxTokens === undefined ? {} : { maxTokens: Math.min(maxTokens, maxOutputTokens) };
      yield* chosen.provider.stream({ ...request, model, ...fitting }, signal);
    },
  };
}

function withOffer(
  event: Extract<ProviderEvent, { type: 'stop' }>,
  fallbackModel: string | undefined,
): ProviderEvent {
  return fallbackModel === undefined ? event : { ...event, refusal: { ...event.refusal, fallbackModel } };
}
