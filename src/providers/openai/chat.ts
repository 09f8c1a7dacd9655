import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { frameIn, withoutEnd } from '../http/server-events.ts';
import { bearer, brokenWire, watchWire } from '../http/wire-watch.ts';
import { wireNames } from '../tool-names.ts';
import { brokenFinish, type ChatFrame, closeReply, openReply, toEvents } from './chat-events.ts';
import { refusesThoughts } from './chat-thoughts.ts';
import { type ChatOptions, toWire } from './chat-wire.ts';
import { replyFrames } from './reply-frames.ts';

/** OpenAI's Chat Completions, used by most vendors and local servers, each with its quirks. */
export function createOpenAIChat(options: ChatOptions): Provider {
  /** Models whose server rejects earlier thinking. */
  const withoutThoughts = new Set<string>();
  return {
    name: options.name,
    countTokens: async () => null,
    async *stream(request, signal) {
      const { model } = request;
      const { thoughtsBackAs, ...quirks } = options.quirks ?? {};
      if (thoughtsBackAs && !withoutThoughts.has(model)) {
        try {
          return yield* exchange(request, options, signal);
        } catch (error) {
          if (!isAboutThoughts(error)) throw error;
          withoutThoughts.add(model);
        }
      }
      yield* exchange(request, { ...options, quirks }, signal);
    },
  };
}

/** Only an error response, before any output, has a status. */
function isAboutThoughts(error: unknown): boolean {
  if (!(error instanceof ProviderError) || error.status === undefined) return false;
  return (error.kind === 'bad_request' || error.kind === 'server_error') && refusesThoughts(error.message);
}

async function* exchange(
  request: CompletionRequest,
  options: ChatOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const url = `${options.baseUrl.replace(/\/+$/, '')}/chat/completions`;
  const watch = watchWire(options);
  const reply = openReply(wireNames(request.tools ?? []), options.quirks?.think ?? 'tags');
  let hasOutput = false;
  try {
    const wire = toWire(request, options);
    const address = options.endpoint?.stream(request.model, wire) ?? { url, body: wire };
    const response = await watch.post(address.url, { headers: bearer(options), body: address.body, signal });
    for await (const data of replyFrames(response)) {
      if (data.startsWith('[DONE]')) break;
      for (const event of toEvents(frameIn(data, { watch, options }) as ChatFrame, reply)) {
        hasOutput ||= event.type !== 'usage';
        yield event;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    // After the finish, only the usage can be missing.
    if (reply.finish === undefined) throw brokenWire(error, { options, hasOutput });
  }
  signal.throwIfAborted();
  if (reply.finish === undefined) throw withoutEnd({ watch, options, hasOutput });
  const broken = brokenFinish(reply);
  if (broken !== undefined)
    throw new ProviderError(`${options.name} could not finish the answer (${broken}).`, {
      kind: 'server_error',
      provider: options.name,
    });
  yield* closeReply(reply);
}
