import Anthropic from '@anthropic-ai/sdk';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { kindOf } from '../errors/http-errors.ts';
import { excerpt, notTheProtocol, redact } from '../errors/protocol-errors.ts';
import { type Send, senderTo } from '../http/sender.ts';
import { serverEvents, withoutEnd } from '../http/server-events.ts';
import { assertSendable, brokenWire, watchWire, wordsIn } from '../http/wire-watch.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';
import type { CreateProvider, ProviderOptions } from '../options.ts';
import { TEMPERATURE_VERSION } from './thinking.ts';
import { newReply, type ReplyState, toEvents, toWire } from './wire.ts';

/** Long enough never to be the reason a run ends: how long to wait is decided by whoever holds the signal. */
const TIMEOUT_MS = 60 * 60 * 1000;

export const createAnthropic: CreateProvider = (options) => {
  const client = clientFor(options);
  const line = {
    options,
    send: senderTo('/v1/messages', client),
    sendTempered: senderTo('/v1/messages', client, TEMPERATURE_VERSION),
  };
  const count = senderTo('/v1/messages/count_tokens', client);
  return {
    name: options.name,
    stream: (request, signal) => stream(line, request, signal),

    async countTokens(request, signal) {
      const { model, messages, system, tools, thinking } = toWire(request, options);
      const body = {
        model,
        messages,
        ...(system && { system }),
        ...(tools && { tools }),
        ...(thinking && { thinking }),
      };
      try {
        const response = await count(body, { watch: watchWire(options), signal });
        const { input_tokens: tokens } = (await response.json()) as Partial<Anthropic.MessageTokensCount>;
        return Number.isFinite(tokens) ? Number(tokens) : estimateTokens(request);
      } catch {
        signal.throwIfAborted();
        return estimateTokens(request);
      }
    },
  };
};

/** One client for all requests, made with the first: what cannot be sent must be refused by then. */
function clientFor({ baseUrl, apiKey, headers }: ProviderOptions): () => Anthropic {
  let client: Anthropic | undefined;
  const make = () =>
    new Anthropic({
      // The SDK adds the version itself.
      baseURL: baseUrl.replace(/(\/v1)?\/*$/, ''),
      // Never absent: without a key the SDK would look for one in the environment and in files.
      apiKey: apiKey ?? '',
      defaultHeaders: { ...(apiKey ? {} : { authorization: null }), ...headers },
      maxRetries: 0,
      timeout: TIMEOUT_MS,
      logLevel: 'off',
    });
  return () => {
    client ??= make();
    return client;
  };
}

async function* stream(
  { options, send, sendTempered }: { options: ProviderOptions; send: Send; sendTempered: Send },
  request: CompletionRequest,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  assertSendable(options);
  const body = toWire(request, options);
  const state = newReply(request.tools);
  const watch = watchWire(options);
  let begun = false;
  try {
    const go = body.temperature === undefined ? send : sendTempered;
    const response = await go(body, { watch, signal });
    for await (const { event, data } of serverEvents(response.body)) {
      if (event === 'ping' || data === '') continue;
      for (const said of read(data, state, options)) {
        begun ||= said.type !== 'usage';
        yield said;
        if (said.type === 'stop') return;
      }
    }
    signal.throwIfAborted();
    throw withoutEnd({ watch, options, begun });
  } catch (error) {
    signal.throwIfAborted();
    throw brokenWire(error, { watch, options, begun });
  }
}

/** The shape is taken on trust; a frame that turns out to lack what its kind must have is no frame. */
function read(data: string, state: ReplyState, options: ProviderOptions): ProviderEvent[] {
  try {
    const frame = JSON.parse(data) as Anthropic.RawMessageStreamEvent | ErrorFrame;
    if (frame.type === 'error') throw fromErrorFrame(data, frame, options);
    return [...toEvents(frame, state)];
  } catch (error) {
    throw error instanceof ProviderError ? error : notTheProtocol(options, data);
  }
}

type ErrorFrame = { type: 'error'; error?: { type?: string } };

const STATUS: Partial<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  timeout_error: 408,
  request_too_large: 413,
  rate_limit_error: 429,
};

/** A failure told within a stream, whose HTTP status has long been 200. */
function fromErrorFrame(data: string, frame: ErrorFrame, options: ProviderOptions): ProviderError {
  const message = redact(wordsIn(data) ?? excerpt(redact(data, options)), options);
  const status = STATUS[frame.error?.type ?? ''] ?? 529;
  return new ProviderError(message, { kind: kindOf(status, message), provider: options.name });
}
