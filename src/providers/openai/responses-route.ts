import { ProviderError } from '../../contract/errors.ts';
import type { Provider, ProviderEvent } from '../../contract/provider.ts';
import type { Protocol } from '../presets.ts';

type Opening = {
  /** Models known to call functions only over Responses. */
  responsesOnly?: RegExp;
  open(protocol: Protocol): Promise<Provider>;
};

/** The provider of a protocol, or of another one for the models that need it. */
export async function openRouted(protocol: Protocol, { responsesOnly, open }: Opening): Promise<Provider> {
  const provider = await open(protocol);
  if (protocol !== 'openai-chat' || !responsesOnly) return provider;
  let responses: Promise<Provider> | undefined;
  return withResponsesRoute(provider, {
    only: responsesOnly,
    responses() {
      responses ??= open('openai-responses');
      return responses;
    },
  });
}

/**
 * Chat Completions, except for models that call functions only over the Responses API. Names of deployments say nothing
 * about their model, and a gateway may offer one API: the first refusal decides for the model.
 */
function withResponsesRoute(
  chat: Provider,
  { responses, only }: { responses(): Promise<Provider>; only: RegExp },
): Provider {
  const learned = new Map<string, 'chat' | 'responses'>();
  return {
    ...chat,
    async *stream(request, signal): AsyncGenerator<ProviderEvent> {
      for (;;) {
        const { model } = request;
        const route = learned.get(model) ?? (only.test(model) ? 'responses' : 'chat');
        try {
          return yield* (route === 'chat' ? chat : await responses()).stream(request, signal);
        } catch (error) {
          const other = route === 'chat' ? 'responses' : 'chat';
          if (signal.aborted || learned.has(model) || !pointsTo(other, error)) throw error;
          learned.set(model, other);
        }
      }
    },
  };
}

/** Whether this refusal says that the other API is the one to use. */
function pointsTo(route: 'chat' | 'responses', error: unknown): boolean {
  if (!(error instanceof ProviderError)) return false;
  const { status, message } = error;
  if (route === 'responses') return isRefusal(error) && /v1\/responses|responses api/i.test(message);
  // No such address; an unknown model also has status 404.
  return status === 405 || status === 501 || (status === 404 && !/model|deployment/i.test(message));
}

function isRefusal({ kind }: ProviderError): boolean {
  return kind === 'bad_request' || kind === 'model_not_found';
}
