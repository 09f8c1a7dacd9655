import { STATUS_CODES } from 'node:http';
import { ProviderError } from '../../contract/errors.ts';
import { type HttpResponse, httpClient, tapped } from '../../lib/network/http-client.ts';
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

/** One request, and what an error message needs of its answer. */
export type WireWatch = {
  /** Sends a body as JSON. Throws what the server refuses it with. */
  post(url: string, request: PostRequest): Promise<HttpResponse>;
  /** How the answer's body began, without the key. */
  opening(): string;
  /** The end of what has come so far, without the key. */
  latest(): string;
};

/** `headers`: what this protocol adds; names in lower case. The user's own take precedence. */
type PostRequest = { headers: Record<string, string>; body: object; signal: AbortSignal };

/** A vendor's own reading of a refusal, where the HTTP status misleads. */
type Refusal = (status: number, body: string, provider: string) => ProviderError | undefined;

export function watchWire(options: ProviderOptions, refusal?: Refusal): WireWatch {
  const { http = httpClient } = options;
  let opening = '';
  let latest: Uint8Array = new Uint8Array();

  return {
    opening: () => redact(opening, options).trim().slice(0, OPENING),
    latest: () => redact(new TextDecoder().decode(latest), options).trim().slice(-LATEST),
    async post(url, { headers, body, signal }) {
      assertSendable(options);
      const response = await http({
        url,
        method: 'POST',
        headers: allHeaders(headers, options),
        body: JSON.stringify(body),
        signal,
      });
      const { status } = response;
      if (status < 200 || status > 299) throw await refusalOf(response, options, refusal);
      const decoder = new TextDecoder();
      return tapped(response, (chunk) => {
        if (opening.length < RECORDED) {
          opening = (opening + decoder.decode(chunk, { stream: true })).slice(0, RECORDED);
        }
        latest = chunk;
      });
    },
  };
}

/** The key as most protocols want it; local servers have none, and get no header either. */
export function bearer({ apiKey }: Pick<ProviderOptions, 'apiKey'>): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}

function allHeaders(own: Record<string, string>, { headers = {} }: ProviderOptions): Record<string, string> {
  const users = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': userAgent(),
    ...own,
    ...Object.fromEntries(users),
  };
}

async function refusalOf(
  response: HttpResponse,
  options: ProviderOptions,
  refusal?: Refusal,
): Promise<ProviderError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const body = redact(text, options).slice(0, REFUSAL_LIMIT);
  const said = wordsIn(body) ?? (excerpt(body) || STATUS_CODES[status]);
  return (
    refusal?.(status, body, options.name) ??
    fromHttp({
      provider: options.name,
      status,
      message: redact(said || `HTTP ${status}`, options),
      label: labelIn(body),
      headers,
    })
  );
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

/** Any other failure is a connection that broke. */
export function brokenWire(
  error: unknown,
  { options, begun }: { options: ProviderOptions; begun: boolean },
): ProviderError {
  if (error instanceof ProviderError) return error;
  const { origin } = new URL(options.baseUrl);
  return fromBrokenConnection(error, { provider: options.name, address: origin, begun });
}

/** Refused here, because the runtime's own complaint would quote the value, which may hold a key. */
export function assertSendable({ name, baseUrl, apiKey = '', headers = {} }: ProviderOptions): void {
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
}
