import { ProviderError } from '../../contract/errors.ts';
import type { Provider } from '../../contract/provider.ts';
import { windowIn } from '../errors/overflow.ts';

/** Reports the window that a server states when it rejects a request as too long. */
export function withStatedWindow(
  provider: Provider,
  onWindow: (model: string, tokens: number) => void,
): Provider {
  return {
    ...provider,
    async *stream(request, signal) {
      try {
        yield* provider.stream(request, signal);
      } catch (error) {
        const isOverflow = error instanceof ProviderError && error.kind === 'overflow';
        const stated = isOverflow ? windowIn(error.message) : undefined;
        if (stated !== undefined) onWindow(request.model, stated);
        throw error;
      }
    },
  };
}
