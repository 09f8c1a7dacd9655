import type { Web, WebPage } from '../../contract/tool.ts';
import { limited, raceAbort } from '../../lib/async/abort.ts';
import { explained, guardedRequest, type RequestOptions, readAtMost } from './guarded-request.ts';
import { createPageCache } from './page-cache.ts';
import { decodePage, kindOf, mediaTypeOf, sniff } from './text.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const TIME_LIMIT_MS = 30_000;
const MAX_REDIRECTS = 5;

const HEADERS = {
  'user-agent': 'ai-code-assistant',
  accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5',
};

export type WebOptions = RequestOptions & {
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
    const response = await guardedRequest(url, { headers: HEADERS, signal }, options);
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

function named(mediaType: string, size: string): string {
  return `[${mediaType || 'no media type'}, ${size}: not text. To use it, download it with a command.]`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
