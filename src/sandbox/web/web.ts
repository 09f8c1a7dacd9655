import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { PermissionDeniedError } from '../../contract/errors.ts';
import type { Web, WebPage } from '../../contract/tool.ts';
import { limited, raceAbort } from '../../lib/async/abort.ts';
import { whyNameNotPublic, whyNotPublic } from './address.ts';
import { createPageCache } from './page-cache.ts';
import { decodePage, kindOf, mediaTypeOf, sniff } from './text.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const TIME_LIMIT_MS = 30_000;
const MAX_REDIRECTS = 5;

const HEADERS = {
  'user-agent': 'ai-code-assistant',
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5',
};

export type WebOptions = {
  /**
   * Uses the user's proxy, and only that: a proxy resolves names itself, so no address is pinned. If absent,
   * connects directly to the checked addresses.
   */
  fetch?: typeof fetch;
  /** All trusted authorities for direct connections; the default ones if absent. Read on first use. */
  certificates?(): Promise<string[]>;
  /** All addresses of a name. */
  resolve?(hostname: string): Promise<string[]>;
  /** For tests with local servers. */
  allowPrivate?: boolean;
  timeLimitMs?: number;
  now?(): number;
};

/** Access to the web: public addresses only, 10 MB and 30 s at most, pages cached for five minutes. */
export function createWeb(options: WebOptions = {}): Web {
  const { timeLimitMs = TIME_LIMIT_MS, now = Date.now } = options;
  const cache = createPageCache(now);
  return {
    async get(address, signal) {
      const url = new URL(address);
      url.hash = '';
      const known = cache.find(url.href);
      if (known) return known;

      // Before any work starts: its failure would be unhandled.
      signal.throwIfAborted();
      const stop = limited(timeLimitMs, signal);
      const page = await raceAbort(follow(url, options, stop), stop).catch((error: unknown) => {
        signal.throwIfAborted();
        if (stop.aborted) {
          throw new Error(`${url.href} did not finish within ${timeLimitMs / 1000}s.`);
        }
        throw explained(error, url);
      });
      if (page.status < 300) cache.keep(url.href, page);
      return page;
    },
  };
}

/** Follows redirects within a host, each checked again; one to another host is reported to the caller. */
async function follow(start: URL, options: WebOptions, signal: AbortSignal): Promise<WebPage> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await ask(url, options, signal);
    const { status, headers } = response;
    const next = status >= 300 && status < 400 ? locationOf(headers.get('location'), url) : null;
    if (!next) return pageOf(response, url, signal);
    await response.body?.cancel();
    if (next.host !== url.host) {
      const mediaType = mediaTypeOf(headers.get('content-type'));
      return { url: url.href, status, mediaType, text: '', movedTo: next.href };
    }
    url = next;
  }
  throw new Error(`${start.href} redirects more than ${MAX_REDIRECTS} times; stopped at ${url.href}.`);
}

function locationOf(location: string | null, from: URL): URL | null {
  return location !== null && URL.canParse(location, from) ? new URL(location, from) : null;
}

/** One request, made only to checked addresses. */
async function ask(url: URL, options: WebOptions, signal: AbortSignal): Promise<Response> {
  const addresses = await publicAddresses(url, options);
  const init: RequestInit = { redirect: 'manual', headers: HEADERS, signal };
  if (options.fetch) return options.fetch(url, init);
  // A separate module, because its library is large and few sessions need it.
  const { pinnedFetch } = await import('./pinned-fetch.ts');
  const ca = await options.certificates?.();
  return pinnedFetch(addresses, ca)(url, init);
}

/** The addresses of a URL, all of them public; throws if it must not be fetched. */
async function publicAddresses(
  url: URL,
  { fetch, resolve = resolveHere, allowPrivate = false }: WebOptions,
): Promise<string[]> {
  const because = closedBecause(url, { allowPrivate });
  if (because !== null) throw refused(url, because);
  const host = hostOf(url);
  const isLiteral = isIP(host) !== 0;
  const addresses = isLiteral
    ? [host]
    : await resolve(host).catch((error: NodeJS.ErrnoException) => {
        // Behind a proxy many machines cannot resolve public names at all.
        if (fetch) return [];
        throw new Error(
          `The host ${host} was not found (${error.code ?? error.message}). Check the address.`,
        );
      });
  for (const address of allowPrivate ? [] : addresses) {
    const why = whyNotPublic(address);
    if (why !== null)
      throw refused(
        url,
        notPublic(`${address === host ? host : `${host} resolves to ${address}, which`} is ${why}`),
      );
  }
  return addresses;
}

async function resolveHere(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** Why an address is never fetched, judging by the address alone, or null. */
export function fetchRefusal(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const because = closedBecause(url, {});
  return because === null ? null : refused(url, because).message;
}

function closedBecause(url: URL, { allowPrivate }: Pick<WebOptions, 'allowPrivate'>): string | null {
  if (!/^https?:$/.test(url.protocol)) return 'only http and https URLs can be fetched';
  if (url.username !== '' || url.password !== '')
    return 'URLs with a user name or password cannot be fetched';
  if (allowPrivate) return null;
  const host = hostOf(url);
  const why = isIP(host) === 0 ? whyNameNotPublic(host) : whyNotPublic(host);
  return why === null ? null : notPublic(`${host} is ${why}`);
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function notPublic(why: string): string {
  return `${why}; only public addresses can be fetched. For your own servers use a command`;
}

function refused(url: URL, why: string): PermissionDeniedError {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return new PermissionDeniedError({ operation: `fetch ${shown.href} (${why})`, by: 'network guard' });
}

async function pageOf(response: Response, url: URL, signal: AbortSignal): Promise<WebPage> {
  const { status, headers } = response;
  const contentType = headers.get('content-type');
  const mediaType = mediaTypeOf(contentType);
  const page = { url: url.href, status, mediaType };
  const declared = Number(headers.get('content-length') ?? Number.NaN);
  const kind = kindOf(mediaType);
  if (kind === 'other' && declared >= 0) {
    await response.body?.cancel();
    return { ...page, text: named(mediaType, sizeOf(declared)) };
  }
  const bytes = declared > MAX_BYTES ? null : await readAtMost(response.body, MAX_BYTES);
  if (bytes === null) {
    await response.body?.cancel();
    if (kind === 'other') return { ...page, text: named(mediaType, 'more than 10 MB') };
    throw new Error(`${url.href} is larger than 10 MB. Fetch a smaller page, or download it with a command.`);
  }
  const found = kind === 'unknown' ? sniff(bytes) : kind;
  if (found === 'other') return { ...page, text: named(mediaType, sizeOf(bytes.length)) };
  const text = decodePage(bytes, contentType);
  if (found === 'text') return { ...page, text };
  const { htmlToMarkdown } = await import('./html.ts');
  return { ...page, text: await htmlToMarkdown(text, url, signal) };
}

/** Null if there is more; does not wait for the rest. */
async function readAtMost(body: Response['body'], limit: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function named(mediaType: string, size: string): string {
  return `[${mediaType || 'no media type'}, ${size}: not text. To use it, download it with a command.]`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** The network error is the cause of the fetch error; with several addresses, one level deeper. */
function explained(error: unknown, url: URL): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return error;
  const reason: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const words = reason instanceof Error ? reason.message : String(reason);
  return new Error(`Cannot fetch ${url.href}: ${words}`, { cause: error });
}
