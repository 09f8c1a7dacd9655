import { ApiError, GoogleGenAI } from '@google/genai/web';
import { ProviderError } from '../contract/errors.ts';
import type { CompletionRequest, ProviderEvent } from '../contract/provider.ts';
import { following } from '../lib/abort.ts';
import { estimateTokens } from './estimate.ts';
import { endedEarly, notTheProtocol, redact } from './faults.ts';
import { refusedByGoogle } from './google-refusal.ts';
import { newReply, stopOf, systemTexts, toEvents, toWire } from './google-wire.ts';
import type { CreateProvider, ProviderOptions } from './options.ts';
import { assertSendable, brokenWire, fromStreamedError, type WireWatch, watchWire } from './wire-watch.ts';

/** The SDK's build for browsers: it needs no cloud credentials, loads in a seventh of the time and reads no environment. */
export const createGoogle: CreateProvider = (options) => ({
  name: options.name,
  stream: (request, signal) => stream(options, request, signal),

  /** The API counts contents only, so the rest is counted as if it were said. */
  async countTokens(request, signal) {
    const { contents } = toWire(request, options);
    const rest = [...systemTexts(request), JSON.stringify(request.tools ?? [])];
    const spoken = { role: 'user', parts: rest.map((text) => ({ text })) };
    try {
      const { totalTokens } = await clientFor(options, watchGoogle(options)).models.countTokens({
        model: request.model,
        contents: [spoken, ...(Array.isArray(contents) ? contents : [contents])] as (typeof spoken)[],
        config: { abortSignal: signal },
      });
      return totalTokens ?? estimateTokens(request);
    } catch {
      signal.throwIfAborted();
      return estimateTokens(request);
    }
  },
});

function clientFor({ baseUrl, apiKey, headers }: ProviderOptions, watch: WireWatch): GoogleGenAI {
  const [, base, version] = /^(.*?)\/*(?:\/(v1\w*))?\/*$/.exec(baseUrl) ?? [];
  return new GoogleGenAI({
    // The SDK insists on one; servers that need none do not look.
    apiKey: apiKey || 'none',
    vertexai: false,
    ...(version ? { apiVersion: version } : {}),
    httpOptions: { baseUrl: base ?? baseUrl, headers: { ...headers }, fetch: watch.fetch },
  });
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
  options: ProviderOptions,
  request: CompletionRequest,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  assertSendable(options);
  const { config, ...wire } = toWire(request, options);
  const state = newReply(options.name, request.tools);
  const watch = watchGoogle(options);
  // Ends the request, too, when the reader leaves early.
  const left = following(signal);
  let begun = false;
  let isOver = false;
  try {
    const frames = await clientFor(options, watch).models.generateContentStream({
      ...wire,
      config: { ...config, abortSignal: left.signal },
    });
    for await (const frame of frames) {
      for (const said of toEvents(frame, state)) {
        begun ||= said.type !== 'usage';
        yield said;
      }
    }
    isOver = true;
  } catch (error) {
    signal.throwIfAborted();
    // Once the model has finished, only the usage can be missing.
    if (state.finish === undefined) throw toProviderError(error, { watch, options, begun });
  } finally {
    // A reply that was read to its end leaves the connection to the next request.
    left.stop();
    if (!isOver) left.abort();
  }
  signal.throwIfAborted();
  const stop = stopOf(state);
  if (!stop) throw withoutEnd({ watch, options, begun });
  yield stop;
}

type Exchange = { watch: WireWatch; options: ProviderOptions; begun: boolean };

function toProviderError(error: unknown, exchange: Exchange): ProviderError {
  const { watch, options, begun } = exchange;
  if (error instanceof ProviderError) return error;
  if (error instanceof ApiError && !watch.refusal()) return fromToldError(error, options);
  if (error instanceof SyntaxError) return notTheProtocol(options, watch.opening());
  // The SDK's word for a body that ends in the middle of an event, or that never had one.
  if (error instanceof Error && error.message.startsWith('Incomplete JSON')) return withoutEnd(exchange);
  return brokenWire(error, { watch, options, begun });
}

/** The SDK wraps an error frame as `got status: X. {"error":{…}}`. */
function fromToldError(error: ApiError, options: ProviderOptions): ProviderError {
  const start = error.message.indexOf('{');
  const { error: told } = JSON.parse(error.message.slice(start)) as { error: unknown };
  return fromStreamedError(told, options);
}

function withoutEnd({ watch, options, begun }: Exchange): ProviderError {
  const opening = watch.opening();
  const spoke = begun || opening === '' || opening.startsWith('data:') || opening.startsWith(':');
  return spoke ? endedEarly(options.name, begun) : notTheProtocol(options, opening);
}
