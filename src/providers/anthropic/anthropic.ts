import type Anthropic from '@anthropic-ai/sdk';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { kindOf } from '../errors/http-errors.ts';
import { excerpt, notTheProtocol, redact } from '../errors/protocol-errors.ts';
import { serverEvents, withoutEnd } from '../http/server-events.ts';
import { bearer, brokenWire, watchWire, wordsIn } from '../http/wire-watch.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';
import type { CreateProvider, ProviderOptions } from '../options.ts';
import { TEMPERATURE_VERSION } from './thinking.ts';
import { newReply, type ReplyState, toEvents, toWire } from './wire.ts';

/** The API's newest version; `TEMPERATURE_VERSION` where a temperature is wanted. */
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
    const headers = { ...VERSION, ...bearer(options) };
    try {
      const response = await watchWire(options).post(urlOf('count_tokens', options), {
        headers,
        body,
        signal,
      });
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

/** The address may or may not end with the version. */
function urlOf(action: '' | 'count_tokens', { baseUrl }: ProviderOptions): string {
  const base = baseUrl.replace(/(\/v1)?\/*$/, '');
  return `${base}/v1/messages${action && `/${action}`}`;
}

async function* stream(
  request: CompletionRequest,
  options: ProviderOptions,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  const body = toWire(request, options);
  const state = newReply(request.tools);
  const watch = watchWire(options);
  let begun = false;
  try {
    const version = body.temperature === undefined ? VERSION : TEMPERATURE_VERSION;
    const headers = { ...version, ...bearer(options) };
    const response = await watch.post(urlOf('', options), { headers, body, signal });
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
    throw brokenWire(error, { options, begun });
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
