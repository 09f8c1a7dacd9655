import type { SearchBackend, WebHit, WebQuery } from '../../../contract/web-search.ts';
import { limited, raceAbort } from '../../../lib/async/abort.ts';
import { retryAfterMs } from '../../../lib/network/retry-after.ts';
import { explained, guardedRequest, type RequestOptions, readAtMost } from '../guarded-request.ts';
import { formats, MAX_HITS } from './formats.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const TIME_LIMIT_MS = 20_000;

export type ServiceBackend = Extract<SearchBackend, { type: 'service' }>;

export type ServiceOptions = RequestOptions & { timeLimitMs?: number };

/** One request to a search service. Throws a sentence that says what to do. */
export async function searchService(
  query: WebQuery,
  { backend, options, signal }: { backend: ServiceBackend; options: ServiceOptions; signal: AbortSignal },
): Promise<WebHit[]> {
  const { service, address, key = '', isOwnAddress } = backend;
  const { timeLimitMs = TIME_LIMIT_MS } = options;
  signal.throwIfAborted();
  const { url, init } = formats[service.name].request(query, { address, key });
  const allowPrivate = isOwnAddress || options.allowPrivate === true;
  const stop = limited(timeLimitMs, signal);
  const ask = async () => {
    const response = await guardedRequest(
      url,
      { ...init, headers: { ...init.headers, 'user-agent': 'ai-code-assistant' }, signal: stop },
      { ...options, allowPrivate },
    );
    const bytes = await readAtMost(response.body, MAX_BYTES);
    return { response, body: bytes === null ? null : new TextDecoder().decode(bytes) };
  };
  const { response, body } = await raceAbort(ask(), stop).catch((error: unknown) => {
    signal.throwIfAborted();
    if (stop.aborted) throw new Error(`${service.label} did not answer within ${timeLimitMs / 1000}s.`);
    throw explained(error, new URL(url.origin));
  });
  const problem = problemWith(response, backend);
  if (problem !== null) throw new Error(`${service.label} ${problem}`);
  if (body === null) throw new Error(`${service.label} sent more than 2 MB.`);
  const hits = formats[service.name].hits(body);
  if (hits === null) throw new Error(`${service.label} ${notItsFormat(body, backend)}`);
  return hits.slice(0, MAX_HITS);
}

/** What a status means, and what the user can do about it; null for success. */
function problemWith(
  { status, headers }: Response,
  { service, isOwnAddress }: ServiceBackend,
): string | null {
  if (status >= 300 && status < 400) {
    const fix = isOwnAddress ? ' Set webSearch.address to the final address.' : '';
    return `redirects to ${headers.get('location') ?? 'another address'}, which is not followed.${fix}`;
  }
  if (service.name === 'searxng' && status === 403)
    return 'refuses to answer in JSON. Add json to search.formats in its settings.yml.';
  if (status === 401 || status === 403)
    return service.needs === 'key'
      ? `rejected the key (status ${status}). The user has to run \`aca keys set ${service.name}\`.`
      : `refused the search (status ${status}).`;
  if (status === 402 || status === 432)
    return `has no credit left (status ${status}). See ${service.keyUrl ?? 'your account'}.`;
  if (status === 429) {
    const after = retryAfterMs(headers.get('retry-after'));
    const when = after === undefined ? 'later' : `in ${Math.ceil(after / 1000)}s`;
    return `limits how often you may search. Try again ${when}.`;
  }
  return status >= 200 && status < 300 && status !== 202 ? null : failed(service.name, status);
}

/** DuckDuckGo answers with 202 when it asks for proof that a person is searching. */
function failed(service: ServiceBackend['service']['name'], status: number): string {
  return service === 'duckduckgo' && status === 202
    ? ROBOT
    : `answered with status ${status}. Try again later.`;
}

const ROBOT =
  'wants proof that a person is searching. Wait a few minutes, or choose another service with webSearch.backend.';

function notItsFormat(body: string, { service }: ServiceBackend): string {
  if (service.name === 'duckduckgo') return ROBOT;
  return /^\s*</.test(body)
    ? 'answered with a web page instead of JSON. Check webSearch.address, and whether a proxy requires you to sign in.'
    : 'answered in an unknown format. Check webSearch.address.';
}
