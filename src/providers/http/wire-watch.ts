import { STATUS_CODES } from 'node:http';
import { ProviderError } from '../../contract/errors.ts';
import { type HttpResponse, httpClient, tapped } from '../../lib/network/http-client.ts';
import { parseJson } from '../../lib/text/json.ts';
import { fromBrokenConnection, fromHttp } from '../errors/http-errors.ts';
import { excerpt, redact } from '../errors/protocol-errors.ts';
import { meansStaleReasoning } from '../errors/stale-reasoning.ts';
import { baseStatus, errorMessageIn, labelIn } from '../errors/vendor-errors.ts';
import type { ProviderOptions, Refusal } from '../options.ts';
import { userAgent } from './user-agent.ts';

const OPENING = 300;
/** More than is ever shown, so that a key is never cut at the end. */
const RECORDED = 4096;
const LATEST = 120;
const REFUSAL_LIMIT = 64_000;

/** One request, with what error messages need from its response. */
export type WireWatch = {
  /** Sends a body as JSON. Throws the server's error response. */
  post(url: string, request: PostRequest): Promise<HttpResponse>;
  /** The start of the response body, with the key redacted. */
  opening(): string;
  /** The end of what has arrived so far, with the key redacted. */
  latest(): string;
};

/** `headers`: added by this protocol, in lower case. The user's own take precedence. */
type PostRequest = { headers: Record<string, string>; body: object; signal: AbortSignal };

export function watchWire(options: ProviderOptions, refusal = options.endpoint?.refusal): WireWatch {
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

/** The key as most protocols expect it; without a key (local servers) no header is sent. */
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
  const said = errorMessageIn(body) ?? (excerpt(body) || STATUS_CODES[status]);
  return (
    (meansStaleReasoning(body) ? undefined : refusal?.(status, body, options.name)) ??
    fromHttp({
      provider: options.name,
      status: baseStatus(parseJson(body)) ?? status,
      message: redact(said || `HTTP ${status}`, options),
      label: labelIn(body),
      headers,
    })
  );
}

/** Any error without a more specific meaning is a broken connection. */
export function brokenWire(
  error: unknown,
  { options, hasOutput }: { options: ProviderOptions; hasOutput: boolean },
): ProviderError {
  if (error instanceof ProviderError) return error;
  const { origin } = new URL(options.baseUrl);
  return fromBrokenConnection(error, { provider: options.name, address: origin, hasOutput });
}

/** Rejected here because the runtime's own error would quote the value, which may contain a key. */
export function assertSendable({ name, baseUrl, apiKey = '', headers = {} }: ProviderOptions): void {
  const unsendable = /[^\t\x20-\x7e\x80-\xff]/;
  if (unsendable.test(apiKey)) {
    throw new ProviderError(`The API key for ${name} contains a line break or another invalid character.`, {
      kind: 'auth',
      provider: name,
    });
  }
  const bad = (what: string) => new ProviderError(what, { kind: 'bad_request', provider: name });
  for (const [header, value] of Object.entries(headers)) {
    if (unsendable.test(value)) throw bad(`The header ${header} for ${name} contains an invalid character.`);
  }
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw bad(`The base URL of ${name} must start with http:// or https://.`);
  }
  const { username, password } = new URL(baseUrl);
  if (username || password)
    throw bad(`The base URL of ${name} contains a password; send it as a header instead.`);
}
