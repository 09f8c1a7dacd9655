import { ProviderError } from '../../contract/errors.ts';
import { ByteStream, sourceOf } from '../../lib/network/byte-stream.ts';
import { streamedResponse } from '../../lib/network/streamed-response.ts';
import { fromBrokenConnection, fromHttp, kindOf } from '../errors/http-errors.ts';
import { excerpt, redact } from '../errors/protocol-errors.ts';
import { fieldsOf } from '../local/query-server.ts';
import type { ProviderOptions } from '../options.ts';
import { userAgent } from './user-agent.ts';

const OPENING = 300;
/** More than is shown, so that no key ends beyond it. */
const RECORDED = 4096;
const LATEST = 120;
const REFUSAL_LIMIT = 64_000;

/** One request seen from below the vendor's library, which forgets what an error message needs. */
export type WireWatch = {
  fetch: typeof globalThis.fetch;
  /** What the server refused with; set before the library throws its own error. */
  refusal(): ProviderError | undefined;
  /** How the answer's body began, without the key. */
  opening(): string;
  /** The end of what has come so far, without the key. */
  latest(): string;
};

export function watchWire(options: ProviderOptions): WireWatch {
  const send = options.fetch ?? globalThis.fetch;
  let refusal: ProviderError | undefined;
  let opening = '';
  let latest: Uint8Array = new Uint8Array();

  return {
    refusal: () => refusal,
    opening: () => redact(opening, options).trim().slice(0, OPENING),
    latest: () => redact(new TextDecoder().decode(latest), options).trim().slice(-LATEST),
    async fetch(input, init) {
      const response = await send(input, { ...init, headers: named(init?.headers) });
      if (!response.ok) {
        refusal = await refusalOf(response, options);
        throw refusal;
      }
      const decoder = new TextDecoder();
      const { body } = response;
      if (body === null) return response;
      const stream = body instanceof ByteStream ? body : new ByteStream(sourceOf(body));
      stream.tap((chunk) => {
        if (opening.length < RECORDED) {
          opening = (opening + decoder.decode(chunk, { stream: true })).slice(0, RECORDED);
        }
        latest = chunk;
      });
      return stream === body ? response : streamedResponse(stream, response);
    },
  };
}

function named(headers: RequestInit['headers']): Record<string, string> {
  const all = headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(headers) : headers;
  const others = Object.entries({ ...all }).filter(([name]) => name.toLowerCase() !== 'user-agent');
  const library = Object.entries({ ...all }).find(([name]) => name.toLowerCase() === 'user-agent')?.[1];
  return { ...Object.fromEntries(others), 'user-agent': userAgent(library) };
}

async function refusalOf(response: Response, options: ProviderOptions): Promise<ProviderError> {
  const text = await response.text().catch(() => '');
  const body = redact(text, options).slice(0, REFUSAL_LIMIT);
  const said = wordsIn(body) ?? (excerpt(body) || response.statusText);
  return fromHttp({
    provider: options.name,
    status: response.status,
    message: redact(said || `HTTP ${response.status}`, options),
    label: labelIn(body),
    headers: response.headers,
  });
}

/** The vendor's own words, wherever its kind of error keeps them. */
export function wordsIn(body: string): string | undefined {
  return messageIn(parsed(body));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined;
  if (Array.isArray(value)) return messageIn(value[0]);
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const said = ['error', 'message', 'detail', 'msg'].map((name) => messageIn(fields[name])).find(Boolean);
  // A router's own message only says that somebody behind it failed.
  const behind = messageIn((fields.metadata as Record<string, unknown> | undefined)?.raw);
  return said && behind ? `${said}: ${excerpt(behind)}` : said;
}

/** The kind of error that the server itself names. */
function labelIn(body: string): string {
  const fields = fieldsOf(parsed(body));
  return [labelOf(fields), labelOf(fieldsOf(fields.error))].join(' ').trim();
}

function labelOf({ code, type, status }: Record<string, unknown>): string {
  return [code, type, status].filter((value) => value != null).join(' ');
}

/** An error the server told inside a stream that had begun with success. */
export function fromStreamedError(error: unknown, options: ProviderOptions): ProviderError {
  const fields = fieldsOf(error);
  const whole = redact(JSON.stringify(error) ?? String(error), options);
  const message = redact(messageIn(error) ?? excerpt(whole), options);
  const label = labelOf(fields);
  return new ProviderError(message, {
    kind: kindOf(statusOf(fields.code, `${label} ${message}`), message, label),
    provider: options.name,
  });
}

/** The HTTP status that a streamed error would have had. */
function statusOf(code: unknown, words: string): number {
  const numeric = Number(code);
  if (Number.isInteger(numeric) && numeric >= 400 && numeric < 600) return numeric;
  if (/rate.?limit|too many requests|insufficient_quota/i.test(words)) return 429;
  if (/overload|unavailable|capacity|server.?error|internal.?error|try again/i.test(words)) return 503;
  if (/timed? ?out/i.test(words)) return 408;
  if (/invalid.{0,3}api.?key|unauthori[sz]ed|authentication/i.test(words)) return 401;
  if (/model.?not.?found/i.test(words)) return 404;
  return 400;
}

/** Any other failure: the server's refusal if there was one, else a connection that broke. */
export function brokenWire(
  error: unknown,
  { watch, options, begun }: { watch: WireWatch; options: ProviderOptions; begun: boolean },
): ProviderError {
  if (error instanceof ProviderError) return error;
  const address = URL.canParse(options.baseUrl) ? new URL(options.baseUrl).origin : options.baseUrl;
  return watch.refusal() ?? fromBrokenConnection(error, { provider: options.name, address, begun });
}

/** Refused here, because the runtime's own complaint would quote the value, which may hold a key. */
export function assertSendable(options: ProviderOptions): void {
  if (sendable.has(options)) return;
  const { name, baseUrl, apiKey = '', headers = {} } = options;
  const unsendable = /[^\t\x20-\x7e\x80-\xff]/;
  if (unsendable.test(apiKey)) {
    throw new ProviderError(`The API key for ${name} holds a line break or another unsendable character.`, {
      kind: 'auth',
      provider: name,
    });
  }
  const bad = (what: string) => new ProviderError(what, { kind: 'bad_request', provider: name });
  for (const [header, value] of Object.entries(headers)) {
    if (unsendable.test(value)) throw bad(`The header ${header} for ${name} holds an unsendable character.`);
  }
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw bad(`The address of ${name} is not a URL that begins with http:// or https://.`);
  }
  const { username, password } = new URL(baseUrl);
  if (username || password)
    throw bad(`The address of ${name} holds a password; send it as a header instead.`);
  sendable.add(options);
}

/** A line is looked at with its first request; the next ones are the same. */
const sendable = new WeakSet<ProviderOptions>();
