import type Anthropic from '@anthropic-ai/sdk';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { notTheProtocol } from '../errors/protocol-errors.ts';
import { fromStreamedError } from '../errors/vendor-errors.ts';
import { serverEvents, withoutEnd } from '../http/server-events.ts';
import { bearer, brokenWire, watchWire } from '../http/wire-watch.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';
import type { CreateProvider, ProviderOptions } from '../options.ts';
import { betaHeaders } from './effort.ts';
import { TEMPERATURE_VERSION } from './thinking.ts';
import { newReply, type ReplyState, toEvents, toWire } from './wire.ts';

/** The newest API version; `TEMPERATURE_VERSION` is used when a temperature is set. */
const VERSION = { 'anthropic-version': '2026-10-21' };

export const createAnthropic: CreateProvider = (options) => ({
  name: options.name,
  stream: (request, signal) => stream(request, options, signal),

  async countTokens(request, signal) {
    const { model, messages, system, tools, thinking } = toWire(request, options);
    const body = {
      model,
      messages,
      ...(system && { system }),
      ...(tools && { tools }),
      ...(thinking && { thinking }),
    };
    const { endpoint } = options;
    if (endpoint && !endpoint.count) return estimateTokens(request);
    const address = endpoint?.count?.(model, body) ?? { url: `${messagesUrl(options)}/count_tokens`, body };
    const headers = endpoint ? {} : { ...VERSION, ...betaHeaders(messages), ...bearer(options) };
    try {
      const response = await watchWire(options).post(address.url, { headers, body: address.body, signal });
      const { input_tokens: tokens }: Partial<Anthropic.MessageTokensCount> = JSON.parse(
        await response.text(),
      );
      return Number.isFinite(tokens) ? Number(tokens) : estimateTokens(request);
    } catch {
      signal.throwIfAborted();
      return estimateTokens(request);
    }
  },
});

/** The base URL may or may not end with the version. */
function messagesUrl({ baseUrl }: ProviderOptions): string {
  return `${baseUrl.replace(/(\/v1)?\/*$/, '')}/v1/messages`;
}

async function* stream(
  request: CompletionRequest,
  options: ProviderOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const body = toWire(request, options);
  const state = newReply(request.tools);
  const watch = watchWire(options);
  let hasOutput = false;
  try {
    const { endpoint } = options;
    const version = body.temperature === undefined ? VERSION : TEMPERATURE_VERSION;
    const headers = endpoint ? {} : { ...version, ...betaHeaders(body.messages), ...bearer(options) };
    const address = endpoint?.stream(request.model, body) ?? { url: messagesUrl(options), body };
    const response = await watch.post(address.url, { headers, body: address.body, signal });
    for await (const { event, data } of serverEvents(response.body)) {
      if (event === 'ping' || data === '') continue;
      for (const said of read(data, state, options)) {
        hasOutput ||= said.type !== 'usage';
        yield said;
        if (said.type === 'stop') return;
      }
    }
    signal.throwIfAborted();
    throw withoutEnd({ watch, options, hasOutput });
  } catch (error) {
    signal.throwIfAborted();
    throw brokenWire(error, { options, hasOutput });
  }
}

/** The shape is not validated up front; a frame that lacks a required field is reported as malformed. */
function read(data: string, state: ReplyState, options: ProviderOptions): ProviderEvent[] {
  try {
    const frame = JSON.parse(data) as Anthropic.RawMessageStreamEvent | ErrorFrame;
    if (frame.type === 'error') throw fromStreamedError(frame.error ?? frame, options, { unknown: 500 });
    return [...toEvents(frame, state)];
  } catch (error) {
    throw error instanceof ProviderError ? error : notTheProtocol(options, data);
  }
}

type ErrorFrame = { type: 'error'; error?: unknown };
