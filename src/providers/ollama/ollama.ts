import { Ollama } from 'ollama/browser';
import { ProviderError } from '../../contract/errors.ts';
import { ByteStream } from '../../lib/network/byte-stream.ts';
import { streamedResponse } from '../../lib/network/streamed-response.ts';
import { endedEarly, notTheProtocol } from '../errors/protocol-errors.ts';
import { assertSendable, brokenWire, fromStreamedError, watchWire } from '../http/wire-watch.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';
import type { CreateProvider, ProviderOptions } from '../options.ts';
import { wireNames } from '../tool-names.ts';
import { openReply, toEvents, toWire } from './wire.ts';

/** Ollama's own protocol, the only one of its that lets us set the size of the context. */
export const createOllama: CreateProvider = (options) => {
  const contexts = new Map<string, number>();
  return {
    name: options.name,
    countTokens: async (request) => estimateTokens(request),
    async *stream(request, signal) {
      const wire = toWire(request, { ...options, lastContext: contexts.get(request.model) });
      contexts.set(request.model, wire.options.num_ctx);
      const watch = watchWire(options);
      const lines: Lines = { whole: false, failure: undefined };
      const reply = openReply(wireNames(request.tools ?? []));
      const host = hostOf(options.baseUrl);
      let begun = false;
      try {
        assertSendable({ ...options, baseUrl: host });
        signal.throwIfAborted();
        const client = new Ollama({
          host,
          headers: {
            ...(options.apiKey ? { Authorization: `Bearer ${options.apiKey}` } : {}),
            ...options.headers,
          },
          async fetch(input, init) {
            const signals = init?.signal ? [signal, init.signal] : [signal];
            const response = await watch.fetch(input, { ...init, signal: AbortSignal.any(signals) });
            const { body } = response;
            return body
              ? streamedResponse(new ByteStream(onlyLines(body, options, lines)), response)
              : response;
          },
        });
        for await (const frame of await client.chat(wire)) {
          for (const event of toEvents(frame, reply)) {
            begun = true;
            yield event;
          }
        }
      } catch (error) {
        signal.throwIfAborted();
        if (lines.whole && !(error instanceof ProviderError) && !lines.failure)
          throw endedEarly(options.name, begun);
        const reached = { ...options, baseUrl: host };
        const failure = lines.failure ?? brokenWire(error, { watch, options: reached, begun });
        throw withAdvice(failure, request.model);
      }
    },
  };
};

/** `OLLAMA_HOST` may lack a scheme or a port, or name the address a server listens on. */
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

/** `whole`: the body came to a proper end. `failure`: it did not, because of what it said. */
type Lines = { whole: boolean; failure: ProviderError | undefined };

/**
 * Lets whole JSON lines through and ends at anything else: the library would print it to the console and go on.
 * The failure is kept rather than thrown, because an error would take with it the lines that wait to be read.
 */
async function* onlyLines(
  body: AsyncIterable<Uint8Array>,
  options: ProviderOptions,
  seen: Lines,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  const isGood = (line: string) => {
    seen.failure ??= faultIn(line, options);
    return !seen.failure;
  };
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() === '') continue;
      if (!isGood(line)) return;
      yield encoder.encode(`${line}\n`);
    }
  }
  seen.whole = true;
  const last = rest.trim();
  // Half a line is a cut, which the missing end will tell.
  if (last && (!last.startsWith('{') || isJson(last)) && isGood(last)) yield encoder.encode(`${last}\n`);
}

/** Why a line is none of a model's. */
function faultIn(line: string, options: ProviderOptions): ProviderError | undefined {
  let frame: unknown;
  try {
    frame = JSON.parse(line);
  } catch {
    return notTheProtocol(options, line);
  }
  if (typeof frame !== 'object' || frame === null) return notTheProtocol(options, line);
  // Mid-answer, what fails is the server.
  if ('error' in frame) return fromStreamedError({ type: 'server_error', message: frame.error }, options);
  return 'message' in frame || 'done' in frame ? undefined : notTheProtocol(options, line);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function withAdvice(error: ProviderError, model: string): ProviderError {
  const { provider, status, kind, message } = error;
  const details = { provider, ...(status === undefined ? {} : { status }) };
  if (kind === 'model_not_found') {
    return new ProviderError(`${message.replace(/\.$/, '')}. Get it with: ollama pull ${model}`, {
      ...details,
      kind,
    });
  }
  // Trying again does not make the machine larger.
  if ((kind === 'overloaded' || kind === 'server_error') && /memory/i.test(message)) {
    return new ProviderError(message, { ...details, kind: 'bad_request' });
  }
  return error;
}
