import type { CountTokensResponse, GenerateContentResponse } from '@google/genai/web';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { frameIn, serverEvents, withoutEnd } from '../http/server-events.ts';
import { brokenWire, watchWire } from '../http/wire-watch.ts';
import type { CreateProvider, ProviderOptions, Refusal } from '../options.ts';
import { refusedByGoogle } from './refusal.ts';
import { newReply, stopOf, systemTexts, toEvents, toWire } from './wire.ts';

export const createGoogle: CreateProvider = (options) => {
  /** Signatures of requests that the vendor refused, damaged or made with another key, model or address. */
  const rejected = new Set<string>();
  return {
    name: options.name,
    countTokens: (request, signal) => countTokens(request, { ...options, rejected }, signal),
    async *stream(request, signal) {
      try {
        return yield* stream(request, { ...options, rejected }, signal);
      } catch (error) {
        const unknown = signaturesIn(request).filter((signature) => !rejected.has(signature));
        if (!(error instanceof ProviderError) || error.kind !== 'stale_reasoning' || unknown.length === 0)
          throw error;
        for (const signature of unknown) rejected.add(signature);
      }
      yield* stream(request, { ...options, rejected }, signal);
    },
  };
};

function signaturesIn({ messages }: CompletionRequest): string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.flatMap(({ signature }) => signature ?? []) : [],
  );
}

type GoogleOptions = ProviderOptions & { rejected: ReadonlySet<string> };

/** The API counts only contents, so system prompt and tools are counted as if they were messages. */
async function countTokens(
  request: CompletionRequest,
  options: GoogleOptions,
  signal: AbortSignal,
): Promise<number | null> {
  const { contents } = toWire(request, options);
  const rest = [...systemTexts(request), JSON.stringify(request.tools ?? [])];
  const systemMessage = { role: 'user', parts: rest.map((text) => ({ text })) };
  const body = { contents: [systemMessage, ...contents] };
  const { endpoint } = options;
  if (endpoint && !endpoint.count) return null;
  const address = endpoint?.count?.(request.model, body) ?? {
    url: urlOf(`${request.model}:countTokens`, options),
    body,
  };
  try {
    const response = await watchWire(options, refusalOf(options)).post(address.url, {
      headers: headersOf(options),
      body: address.body,
      signal,
    });
    const { totalTokens }: CountTokensResponse = JSON.parse(await response.text());
    return totalTokens ?? null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** The base URL may end with the API version. A model name may include its collection. */
function urlOf(action: string, { baseUrl }: ProviderOptions): string {
  const [, base = baseUrl, version = 'v1beta'] = /^(.*?)\/*(?:\/(v1\w*))?\/*$/.exec(baseUrl) ?? [];
  const path = /^(models|tunedModels)\//.test(action) ? action : `models/${action}`;
  return `${base}/${version}/${encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent)}`;
}

function refusalOf({ endpoint }: ProviderOptions): Refusal {
  return (...response) => endpoint?.refusal?.(...response) ?? refusedByGoogle(...response);
}

function headersOf({ apiKey }: ProviderOptions): Record<string, string> {
  return apiKey ? { 'x-goog-api-key': apiKey } : {};
}

async function* stream(
  request: CompletionRequest,
  options: GoogleOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const state = newReply(options.name, request.tools);
  const watch = watchWire(options, refusalOf(options));
  let hasOutput = false;
  try {
    const body = toWire(request, options);
    const address = options.endpoint?.stream(request.model, body) ?? {
      url: `${urlOf(`${request.model}:streamGenerateContent`, options)}?alt=sse`,
      body,
    };
    const response = await watch.post(address.url, {
      headers: headersOf(options),
      body: address.body,
      signal,
    });
    for await (const { data } of serverEvents(response.body)) {
      const frame = frameIn(data, { watch, options }) as GenerateContentResponse;
      for (const said of toEvents(frame, state)) {
        hasOutput ||= said.type !== 'usage';
        yield said;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    // After the finish, only the usage can be missing.
    if (state.finish === undefined) throw brokenWire(error, { options, hasOutput });
  }
  signal.throwIfAborted();
  const stop = stopOf(state);
  if (!stop) throw withoutEnd({ watch, options, hasOutput });
  yield stop;
}
