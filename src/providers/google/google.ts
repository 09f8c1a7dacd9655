import { type GenerateContentResponse, GoogleGenAI } from '@google/genai/web';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { redact } from '../errors/protocol-errors.ts';
import { type Head, type Send, sender } from '../http/sender.ts';
import { frameIn, serverEvents, withoutEnd } from '../http/server-events.ts';
import { assertSendable, brokenWire, type WireWatch, watchWire } from '../http/wire-watch.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';
import type { CreateProvider, ProviderOptions } from '../options.ts';
import { refusedByGoogle } from './refusal.ts';
import { newReply, stopOf, systemTexts, toEvents, toWire } from './wire.ts';

/** The SDK's build for browsers: it needs no cloud credentials, loads in a seventh of the time and reads no environment. */
export const createGoogle: CreateProvider = (options) => {
  const client = clientFor(options);
  const senders = new Map<string, Send>();
  const sendTo = (model: string) => {
    const send = senders.get(model) ?? sender(() => headFor(model, client()));
    senders.set(model, send);
    return send;
  };
  return {
    name: options.name,
    stream: (request, signal) => stream({ send: sendTo(request.model), options }, request, signal),

    /** The API counts contents only, so the rest is counted as if it were said. */
    async countTokens(request, signal) {
      const { contents } = toWire(request, options);
      const rest = [...systemTexts(request), JSON.stringify(request.tools ?? [])];
      const spoken = { role: 'user', parts: rest.map((text) => ({ text })) };
      const { fetch } = watchGoogle(options);
      try {
        const { totalTokens } = await client().models.countTokens({
          model: request.model,
          contents: [spoken, ...contents],
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

/** The SDK calls no functions and goes on with no answers by itself. */
const PLAINLY = { automaticFunctionCalling: { disable: true }, automaticContinuation: false };

/** What the SDK would send a request to this model with. It is let run until then, and not further. */
async function headFor(model: string, client: GoogleGenAI): Promise<Head> {
  const heads: Head[] = [];
  const enough = new Error('Nothing is to be sent.');
  const fetch: typeof globalThis.fetch = async (input, init) => {
    heads.push({ url: String(input), headers: Object.fromEntries(new Headers(init?.headers)) });
    throw enough;
  };
  await client.models
    .generateContentStream({ model, contents: 'hi', config: { ...PLAINLY, httpOptions: { fetch } } })
    .catch((error: unknown) => {
      if (error !== enough) throw error;
    });
  const [head] = heads;
  if (!head) throw new Error('The SDK sent nothing.');
  return head;
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
  { send, options }: { send: Send; options: ProviderOptions },
  request: CompletionRequest,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  assertSendable(options);
  const state = newReply(options.name, request.tools);
  const watch = watchGoogle(options);
  let begun = false;
  try {
    const response = await send(toWire(request, options), { watch, signal });
    for await (const { data } of serverEvents(response.body)) {
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
