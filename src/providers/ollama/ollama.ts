import type { ChatResponse } from 'ollama/browser';
import { ProviderError } from '../../contract/errors.ts';
import { endedEarly, notTheProtocol } from '../errors/protocol-errors.ts';
import { fromStreamedError } from '../errors/vendor-errors.ts';
import { linesOf } from '../http/server-events.ts';
import { bearer, brokenWire, watchWire } from '../http/wire-watch.ts';
import type { CreateProvider, ProviderOptions } from '../options.ts';
import { wireNames } from '../tool-names.ts';
import { openReply, toEvents, toWire } from './wire.ts';

/** Ollama's native protocol, the only one it offers that can set the context size. */
export const createOllama: CreateProvider = (given) => {
  const options = { ...given, baseUrl: hostOf(given.baseUrl) };
  const contexts = new Map<string, number>();
  return {
    name: options.name,
    countTokens: async () => null,
    async *stream(request, signal) {
      const body = toWire(request, { ...options, lastContext: contexts.get(request.model) });
      contexts.set(request.model, body.options.num_ctx);
      const reply = openReply(wireNames(request.tools ?? []));
      let hasOutput = false;
      try {
        const url = `${options.baseUrl}/api/chat`;
        const response = await watchWire(options).post(url, { headers: bearer(options), body, signal });
        for await (const frame of frames(response.body, options)) {
          for (const event of toEvents(frame, reply)) {
            hasOutput = true;
            yield event;
          }
          if (frame.done) return;
        }
        signal.throwIfAborted();
        throw endedEarly(options.name, hasOutput);
      } catch (error) {
        signal.throwIfAborted();
        throw withAdvice(brokenWire(error, { options, hasOutput }), request.model);
      }
    },
  };
};

/** `OLLAMA_HOST` may lack a scheme or port, or be the server's listen address. */
export function hostOf(baseUrl: string): string {
  const full = /^[a-z]+:\/\//i.test(baseUrl) ? baseUrl : `http://${withPort(baseUrl)}`;
  if (!URL.canParse(full)) return full;
  const url = new URL(full);
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  return `${url.origin}${url.pathname.replace(/\/(v1|api)?\/?$/, '')}`;
}

function withPort(host: string): string {
  const named = host.startsWith(':') ? `127.0.0.1${host}` : host;
  return /:\d+(\/|$)/.test(named) ? named : named.replace(/(\/|$)/, ':11434$1');
}

async function* frames(
  body: AsyncIterable<Uint8Array>,
  options: ProviderOptions,
): AsyncGenerator<ChatResponse> {
  for await (const line of linesOf(body)) {
    if (line.trim() === '') continue;
    // An incomplete last line means the stream was cut, which the missing final event reports.
    if (!line.endsWith('\n') && line.startsWith('{') && !isJson(line)) return;
    yield frameIn(line, options);
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Parses a line; throws if it is malformed or an error reported by the server. */
function frameIn(line: string, options: ProviderOptions): ChatResponse {
  let frame: unknown;
  try {
    frame = JSON.parse(line);
  } catch {
    throw notTheProtocol(options, line);
  }
  if (typeof frame !== 'object' || frame === null) throw notTheProtocol(options, line);
  // Errors during a reply are mostly server errors.
  if ('error' in frame) throw fromStreamedError(frame.error, options, { unknown: 500 });
  if (!('message' in frame || 'done' in frame)) throw notTheProtocol(options, line);
  return frame as ChatResponse;
}

function withAdvice(error: ProviderError, model: string): ProviderError {
  const { provider, status, kind, message } = error;
  const details = { provider, ...(status === undefined ? {} : { status }) };
  if (kind === 'model_not_found') {
    return new ProviderError(`${message.replace(/\.$/, '')}. Download it with: ollama pull ${model}`, {
      ...details,
      kind,
    });
  }
  // Retrying does not free memory.
  if ((kind === 'overloaded' || kind === 'server_error') && /memory/i.test(message)) {
    return new ProviderError(message, { ...details, kind: 'bad_request' });
  }
  return error;
}
