import { ProviderError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { StopReason, Usage } from '../../contract/message.ts';
import type { Provider } from '../../contract/provider.ts';
import type { Choice } from './choose-model.ts';

/**
 * Reports each request when it is over. Wraps the wire directly, so that waiting for a quota is not measured.
 */
export function observed(
  provider: Provider,
  {
    choice: { preset, info },
    purpose,
    emit,
  }: { choice: Choice; purpose: 'main' | 'helper'; emit(event: AgentEvent): void },
): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      const started = performance.now();
      let usage: Usage | undefined;
      let stop: StopReason | undefined;
      let error: Extract<AgentEvent, { type: 'model_call' }>['error'];
      try {
        for await (const event of provider.stream(request, signal)) {
          if (event.type === 'usage') usage = event.usage;
          else if (event.type === 'stop') stop = event.reason;
          yield event;
        }
        stop ??= 'cut';
      } catch (thrown) {
        if (!signal.aborted) error = thrown instanceof ProviderError ? thrown.kind : 'unknown';
        throw thrown;
      } finally {
        if (error === undefined) stop ??= 'aborted';
        emit({
          type: 'model_call',
          provider: preset.name,
          model: request.model,
          purpose,
          durationMs: Math.round(performance.now() - started),
          contextWindow: info.contextWindow,
          ...(usage && { usage }),
          ...(stop !== undefined && error === undefined && { stop }),
          ...(error !== undefined && { error }),
        });
      }
    },
  };
}
