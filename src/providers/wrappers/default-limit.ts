import type { ModelInfo, Provider } from '../../contract/provider.ts';

/** Limits every answer: a local model that never stops would otherwise write until its window is full. */
export function withDefaultLimit<P extends Provider>(
  provider: P,
  info: Pick<ModelInfo, 'maxOutputTokens'>,
): P {
  return {
    ...provider,
    stream: (request, signal) =>
      provider.stream({ ...request, maxTokens: request.maxTokens ?? info.maxOutputTokens }, signal),
  };
}
