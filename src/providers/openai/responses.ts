import type { InputTokenCountParams, InputTokenCountResponse } from 'openai/resources/responses/input-tokens';
import type { CompactedResponse, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { frameIn, serverEvents, withoutEnd } from '../http/server-events.ts';
import { bearer, brokenWire, watchWire } from '../http/wire-watch.ts';
import type { CreateProvider } from '../options.ts';
import { wireNames } from '../tool-names.ts';
import { openReply, toEvents, usageOf } from './responses-events.ts';
import { toWire, type WireOptions } from './responses-wire.ts';

/** Events that only repeat the request with all its tools: larger than the model's whole output. */
const ECHOES: ReadonlySet<string> = new Set(['response.created', 'response.queued', 'response.in_progress']);

type Omission = 'noSummaries' | 'noThoughts';

/** OpenAI's Responses API, without storage on the vendor's side. */
export const createOpenAIResponses: CreateProvider = (options) => {
  const omitted: Partial<Record<Omission, true>> = {};
  return {
    name: options.name,
    countTokens: (request, signal) => countTokens(request, { ...options, ...omitted }, signal),
    async *stream(request, signal) {
      for (;;) {
        try {
          const ask = request.summarize ? summarize : exchange;
          return yield* ask(request, { ...options, ...omitted }, signal);
        } catch (error) {
          const omission = omissionFor(error);
          if (!omission || omitted[omission]) throw error;
          omitted[omission] = true;
        }
      }
    },
  };
};

/** What to omit if the account lacks access to it: a plainer answer is better than none. */
function omissionFor(error: unknown): Omission | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  if (error.kind === 'stale_reasoning') return 'noThoughts';
  const isAboutSummaries = /reasoning summar|reasoning\.summary/i.test(error.message);
  return error.kind === 'bad_request' && isAboutSummaries ? 'noSummaries' : undefined;
}

/** Servers other than the vendor's own rarely count. */
async function countTokens(
  request: CompletionRequest,
  options: WireOptions,
  signal: AbortSignal,
): Promise<number | null> {
  const { model, instructions, input, tools, reasoning, text, tool_choice } = toWire(request, options);
  const body: InputTokenCountParams = {
    model: model ?? null,
    input: input ?? null,
    ...(instructions && { instructions }),
    ...(tools && { tools }),
    ...(reasoning && { reasoning }),
    ...(text && { text: text as NonNullable<InputTokenCountParams['text']> }),
    ...(tool_choice && { tool_choice: tool_choice as NonNullable<InputTokenCountParams['tool_choice']> }),
  };
  if (options.endpoint) return null;
  const url = `${options.baseUrl.replace(/\/+$/, '')}/responses/input_tokens`;
  try {
    const response = await watchWire(options).post(url, { headers: bearer(options), body, signal });
    const { input_tokens: tokens }: Partial<InputTokenCountResponse> = JSON.parse(await response.text());
    return tokens ?? null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** The vendor turns the conversation into items that stand for it, reasoning included. */
async function* summarize(
  request: CompletionRequest,
  options: WireOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const watch = watchWire(options);
  const { model, instructions, input } = toWire(request, options);
  const url = `${options.baseUrl.replace(/\/+$/, '')}/responses/compact`;
  const body = { model, input, ...(instructions && { instructions }) };
  try {
    const response = await watch.post(url, { headers: bearer(options), body, signal });
    const { output, usage } = frameIn(await response.text(), {
      watch,
      options,
    }) as Partial<CompactedResponse>;
    if (usage) yield { type: 'usage', usage: usageOf(usage) };
    if (output) yield { type: 'summarized', items: output };
    yield { type: 'stop', reason: 'end' };
  } catch (error) {
    signal.throwIfAborted();
    throw brokenWire(error, { options, hasOutput: false });
  }
}

async function* exchange(
  request: CompletionRequest,
  options: WireOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const watch = watchWire(options);
  const reply = openReply(options, wireNames(request.tools ?? []));
  let hasOutput = false;
  try {
    const wire = toWire(request, options);
    const address = options.endpoint?.stream(request.model, wire) ?? {
      url: `${options.baseUrl.replace(/\/+$/, '')}/responses`,
      body: wire,
    };
    const response = await watch.post(address.url, {
      headers: bearer(options),
      body: address.body,
      signal,
    });
    for await (const { event: name = '', data } of serverEvents(response.body)) {
      if (ECHOES.has(name)) continue;
      if (data.startsWith('[DONE]')) break;
      for (const event of toEvents(frameIn(data, { watch, options }) as ResponseStreamEvent, reply)) {
        hasOutput = true;
        yield event;
      }
      if (reply.stopped) break;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!reply.stopped) throw brokenWire(error, { options, hasOutput });
  }
  signal.throwIfAborted();
  if (!reply.stopped) throw withoutEnd({ watch, options, hasOutput });
}
