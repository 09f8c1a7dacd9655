import type Anthropic from '@anthropic-ai/sdk';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { notTheProtocol } from '../errors/protocol-errors.ts';
import { baseStatus, fromStreamedError } from '../errors/vendor-errors.ts';
import { serverEvents, withoutEnd } from '../http/server-events.ts';
import { bearer, brokenWire, watchWire } from '../http/wire-watch.ts';
import type { CreateProvider, ProviderOptions } from '../options.ts';
import { betasOf, withBetaField, withBetaHeader } from './betas.ts';
import { newReply, type ReplyState, toEvents } from './events.ts';
import { showsNotes, TEMPERATURE_VERSION } from './thinking.ts';
import { toWire } from './wire.ts';

/** The newest API version; `TEMPERATURE_VERSION` is used when a temperature is set. */
const VERSION = { 'anthropic-version': '2026-10-21' };

type AnthropicOptions = ProviderOptions & { noNotes: boolean };

export const createAnthropic: CreateProvider = (options) => {
  let noNotes = false;
  return {
    name: options.name,
    countTokens: (request, signal) => countTokens(request, { ...options, noNotes }, signal),
    async *stream(request, signal) {
      try {
        return yield* stream(request, { ...options, noNotes }, signal);
      } catch (error) {
        if (noNotes || !refusesNotes(error)) throw error;
        noNotes = true;
      }
      yield* stream(request, { ...options, noNotes }, signal);
    },
  };
};

/** Older servers and gateways know neither the beta nor its display. Only an error response has a status. */
function refusesNotes(error: unknown): boolean {
  if (!(error instanceof ProviderError) || error.kind !== 'bad_request' || error.status === undefined)
    return false;
  return /thinking.*display|display.*(updates|thinking)|anthropic[-_]beta|\bbeta (flag|header|feature)/i.test(
    error.message,
  );
}

/** The vendor's own API says how long to wait, except at the monthly spend limit. */
function asSpendCap(error: ProviderError, { baseUrl, endpoint }: ProviderOptions): ProviderError {
  const isOwnApi = !endpoint && /(^|\.)anthropic\.com$/.test(new URL(baseUrl).hostname);
  const { status, provider, retryAfterMs, message } = error;
  if (!isOwnApi || status !== 429 || retryAfterMs !== undefined) return error;
  const nextStep =
    'Your organization has reached its monthly spend limit at Anthropic. Raise it in the Claude Console (Limits), or use another model.';
  return new ProviderError(message, { kind: 'quota', provider, status, nextStep }, { cause: error });
}

async function countTokens(
  request: CompletionRequest,
  options: AnthropicOptions,
  signal: AbortSignal,
): Promise<number | null> {
  const { model, messages, system, tools, thinking } = toWire(request, options);
  const betas = betasOf({ thinking, messages });
  const body = {
    model,
    messages,
    ...(system && { system }),
    ...(tools && { tools }),
    ...(thinking && { thinking }),
  };
  const { endpoint } = options;
  if (endpoint && !endpoint.count) return null;
  const address = endpoint?.count?.(model, withBetaField(body, betas)) ?? {
    url: `${messagesUrl(options)}/count_tokens`,
    body,
  };
  const headers = endpoint ? {} : { ...VERSION, ...bearer(options) };
  const watch = watchWire(endpoint ? options : withBetaHeader(options, betas));
  try {
    const response = await watch.post(address.url, { headers, body: address.body, signal });
    const { input_tokens: tokens }: Partial<Anthropic.MessageTokensCount> = JSON.parse(await response.text());
    return tokens ?? null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** The base URL may or may not end with the version. */
function messagesUrl({ baseUrl }: ProviderOptions): string {
  return `${baseUrl.replace(/(\/v1)?\/*$/, '')}/v1/messages`;
}

async function* stream(
  request: CompletionRequest,
  options: AnthropicOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const body = toWire(request, options);
  const betas = betasOf(body);
  const state = newReply(request.tools, { notes: showsNotes(body.thinking) });
  const watch = watchWire(options.endpoint ? options : withBetaHeader(options, betas));
  let hasOutput = false;
  try {
    const { endpoint } = options;
    const version = body.temperature === undefined ? VERSION : TEMPERATURE_VERSION;
    const headers = endpoint ? {} : { ...version, ...bearer(options) };
    const address = endpoint?.stream(request.model, withBetaField(body, betas)) ?? {
      url: messagesUrl(options),
      body,
    };
    const response = await watch.post(address.url, { headers, body: address.body, signal });
    for await (const { event, data } of serverEvents(response.body)) {
      if (event === 'ping' || data === '') continue;
      for (const said of read(data, state, options)) {
        hasOutput ||= said.type !== 'usage' && said.type !== 'input_transformed';
        yield said;
        if (said.type === 'stop') return;
      }
    }
    signal.throwIfAborted();
    throw withoutEnd({ watch, options, hasOutput });
  } catch (error) {
    signal.throwIfAborted();
    throw asSpendCap(brokenWire(error, { options, hasOutput }), options);
  }
}

/** The shape is not validated up front; a frame that lacks a required field is reported as malformed. */
function read(data: string, state: ReplyState, options: ProviderOptions): ProviderEvent[] {
  try {
    const frame = JSON.parse(data) as Anthropic.RawMessageStreamEvent | ErrorFrame;
    if (frame.type === 'error' || baseStatus(frame))
      throw fromStreamedError((frame as ErrorFrame).error ?? frame, options, { unknown: 500 });
    return [...toEvents(frame, state)];
  } catch (error) {
    throw error instanceof ProviderError ? error : notTheProtocol(options, data);
  }
}

type ErrorFrame = { type: 'error'; error?: unknown };
