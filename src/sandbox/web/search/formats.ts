import { Parser } from 'htmlparser2';
import * as z from 'zod';
import type { SearchService, WebHit, WebQuery } from '../../../contract/web-search.ts';
import { parseJson } from '../../../lib/text/json.ts';
import { duckduckgoHits } from './duckduckgo.ts';

export const MAX_HITS = 10;

type Prepared = { url: URL; init: RequestInit };

/** How a service is asked, and how it answers. `hits` is null if the text is not its format. */
type Format = {
  request(query: WebQuery, at: { address: string; key: string }): Prepared;
  hits(body: string): WebHit[] | null;
};

export const formats: Readonly<Record<SearchService['name'], Format>> = {
  brave: {
    request: (query, { address, key }) =>
      get(address, { q: withSites(query), count: String(MAX_HITS) }, { 'x-subscription-token': key }),
    // Without matches there is no list.
    hits: (body) =>
      hitsIn(body, z.object({ web: z.object({ results: z.array(z.unknown()) }).optional() }), ({ web }) =>
        rows(web?.results ?? [], { snippet: 'description' }).map(withoutMarkup),
      ),
  },
  tavily: {
    request: ({ query, allowedDomains, blockedDomains }, { address, key }) =>
      post(
        address,
        {
          query,
          max_results: MAX_HITS,
          ...(allowedDomains.length > 0 && { include_domains: allowedDomains }),
          ...(blockedDomains.length > 0 && { exclude_domains: blockedDomains }),
        },
        { authorization: `Bearer ${key}` },
      ),
    hits: (body) => listed(body, { snippet: 'content' }),
  },
  exa: {
    request: ({ query, allowedDomains, blockedDomains }, { address, key }) =>
      post(
        address,
        {
          query,
          numResults: MAX_HITS,
          contents: { highlights: true },
          ...(allowedDomains.length > 0 && { includeDomains: allowedDomains }),
          ...(blockedDomains.length > 0 && { excludeDomains: blockedDomains }),
        },
        { 'x-api-key': key },
      ),
    hits: (body) => listed(body, { snippet: 'highlights' }),
  },
  searxng: {
    request: (query, { address }) => get(searchPage(address), { q: withSites(query), format: 'json' }),
    hits: (body) => listed(body, { snippet: 'content' }),
  },
  duckduckgo: {
    request: (query, { address }) => get(address, { q: withSites(query) }, { accept: 'text/html' }),
    hits: duckduckgoHits,
  },
};

/** The address of a SearXNG server, with or without the path of its search page. */
function searchPage(address: string): string {
  return /\/search\/?$/.test(address) ? address : `${address.replace(/\/+$/, '')}/search`;
}

/** The operators that all search engines share. */
function withSites({ query, allowedDomains, blockedDomains }: WebQuery): string {
  const only = allowedDomains.map((domain) => `site:${domain}`).join(' OR ');
  const sites = allowedDomains.length > 1 ? `(${only})` : only;
  return [query, sites, ...blockedDomains.map((domain) => `-site:${domain}`)].filter(Boolean).join(' ');
}

function get(
  address: string,
  parameters: Record<string, string>,
  headers: Record<string, string> = {},
): Prepared {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url, init: { headers: { accept: 'application/json', ...headers } } };
}

function post(address: string, body: object, headers: Record<string, string>): Prepared {
  const all = { accept: 'application/json', 'content-type': 'application/json', ...headers };
  return { url: new URL(address), init: { method: 'POST', headers: all, body: JSON.stringify(body) } };
}

function hitsIn<Schema extends z.ZodType>(
  body: string,
  schema: Schema,
  read: (found: z.output<Schema>) => WebHit[],
): WebHit[] | null {
  const found = schema.safeParse(parseJson(body));
  return found.success ? read(found.data) : null;
}

function listed(body: string, names: { snippet: string }): WebHit[] | null {
  return hitsIn(body, z.object({ results: z.array(z.unknown()) }), ({ results }) => rows(results, names));
}

/** Rows without an address are skipped. */
function rows(found: readonly unknown[], { snippet }: { snippet: string }): WebHit[] {
  return found.flatMap((row) => {
    const { url, title, ...rest }: Record<string, unknown> = row instanceof Object ? { ...row } : {};
    const text = rest[snippet];
    if (typeof url !== 'string') return [];
    return {
      url,
      title: typeof title === 'string' ? title : '',
      snippet: Array.isArray(text) ? text.join(' … ') : typeof text === 'string' ? text : '',
    };
  });
}

/** Matching words are marked, and special characters are escaped. */
function withoutMarkup({ url, title, snippet }: WebHit): WebHit {
  return { url, title: textOf(title), snippet: textOf(snippet) };
}

function textOf(html: string): string {
  let text = '';
  const parser = new Parser({
    ontext(part) {
      text += part;
    },
  });
  parser.end(html);
  return text;
}
