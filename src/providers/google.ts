import { type GenerateContentResponse, GoogleGenAI } from '@google/genai/web';
import type { CompletionRequest, ProviderEvent } from '../contract/provider.ts';
import { estimateTokens } from './estimate.ts';
import { redact } from './faults.ts';
import { refusedByGoogle } from './google-refusal.ts';
import { newReply, stopOf, systemTexts, toEvents, toWire } from './google-wire.ts';
import type { CreateProvider, ProviderOptions } from './options.ts';
import { frameIn, serverEvents, withoutEnd } from './server-events.ts';
import { assertSendable, brokenWire, type WireWatch, watchWire } from './wire-watch.ts';

/** The SDK's build for browsers: it needs no cloud credentials, loads in a seventh of the time and reads no environment. */
export const createGoogle: CreateProvider = (options) => {
  const client = clientFor(options);
  return {
    name: options.name,
    stream: (request, signal) => stream({ client, options }, request, signal),

    /** The API counts contents only, so the rest is counted as if it were said. */
    async countTokens(request, signal) {
      const { contents } = toWire(request, options);
      const rest = [...systemTexts(request), JSON.stringify(request.tools ?? [])];
      const spoken = { role: 'user', parts: rest.map((text) => ({ text })) };
      const { fetch } = watchGoogle(options);
      try {
        const { totalTokens } = await client().models.countTokens({
          model: request.model,
          contents: [spoken, ...(Array.isArray(contents) ? contents : [contents])] as (typeof spoken)[],
          config: { httpOptions: { fetch: (input, init) => fetch(input, { ...init, signal }) } },
        });
        return totalTokens ?? estimateTokens(request);
      } catch {
        signal.throwIfAborted();
        return estimateTokens(request);
      }
    },
  };
};

/** One client for all requests, made with the first: what cannot be sent must be refused by then. */
function clientFor({ baseUrl, apiKey, headers }: ProviderOptions): () => GoogleGenAI {
  let client: GoogleGenAI | undefined;
  const [, base, version] = /^(.*?)\/*(?:\/(v1\w*))?\/*$/.exec(baseUrl) ?? [];
  return () => {
    client ??= new GoogleGenAI({
      // The SDK insists on one; servers that need none do not look.
      apiKey: apiKey || 'none',
      vertexai: false,
      ...(version ? { apiVersion: version } : {}),
      httpOptions: { baseUrl: base ?? baseUrl, headers: { ...headers } },
    });
    return client;
  };
}

function watchGoogle(options: ProviderOptions): WireWatch {
  const send = options.fetch ?? globalThis.fetch;
  return watchWire({
    ...options,
    async fetch(input, init) {
      const response = await send(input, init);
      if (response.ok) return response;
      const body = await response.text();
      const refusal = refusedByGoogle(response.status, redact(body, options), options.name);
      if (refusal) throw refusal;
      return new Response(body, response);
    },
  });
}

async function* stream(
  { client, options }: { client: () => GoogleGenAI; options: ProviderOptions },
  request: CompletionRequest,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  assertSendable(options);
  const { config, ...wire } = toWire(request, options);
  const state = newReply(options.name, request.tools);
  const watch = watchGoogle(options);
  let begun = false;
  try {
    // The reply is read here: the SDK makes a response of every event, and never lets go of a signal.
    let reply: Response | undefined;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      reply = await watch.fetch(input, { ...init, signal });
      return reply;
    };
    await client().models.generateContentStream({ ...wire, config: { ...config, httpOptions: { fetch } } });
    for await (const { data } of serverEvents(reply?.body)) {
      const frame = frameIn(data, { watch, options }) as GenerateContentResponse;
      for (const said of toEvents(frame, state)) {
        begun ||= said.type !== 'usage';
        yield said;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    // Once the model has finished, only the usage can be missing.
    if (state.finish === undefined) throw brokenWire(error, { watch, options, begun });
  }
  signal.throwIfAborted();
  const stop = stopOf(state);
  if (!stop) throw withoutEnd({ watch, options, begun });
  yield stop;
}
