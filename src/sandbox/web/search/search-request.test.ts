import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { deadUrl, loopback } from '../../../../test/support/loopback.ts';
import { type SearchService, searchServices, type WebQuery } from '../../../contract/web-search.ts';
import { type ServiceOptions, searchService } from './search-request.ts';

const never = new AbortController().signal;
const plain: WebQuery = { query: 'node streams', allowedDomains: [], blockedDomains: [] };

function serviceOf(name: SearchService['name']): SearchService {
  const found = searchServices.find((service) => service.name === name);
  if (!found) throw new Error(`no service ${name}`);
  return found;
}

function search(
  name: SearchService['name'],
  address: string,
  { query = plain, ...options }: ServiceOptions & { query?: WebQuery } = {},
) {
  const backend = {
    type: 'service' as const,
    service: serviceOf(name),
    address,
    key: 'k-1',
    isOwnAddress: true,
  };
  return searchService(query, { backend, options, signal: never });
}

const json = (body: unknown) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const streams = { title: 'Stream | Node.js', url: 'https://nodejs.org/api/stream.html' };

/** Replies in the shapes that the services document, with fields that are not used here. */
const replies = {
  brave: {
    type: 'search',
    query: { original: 'node streams', more_results_available: true },
    mixed: { type: 'mixed', main: [{ type: 'web', index: 0, all: false }] },
    web: {
      type: 'search',
      results: [
        {
          ...streams,
          is_source_local: false,
          description: 'A <strong>stream</strong> is an abstract interface &amp; more.',
          profile: { name: 'Nodejs' },
          language: 'en',
          type: 'search_result',
          meta_url: { hostname: 'nodejs.org' },
        },
        { title: 'no address' },
      ],
      family_friendly: true,
    },
  },
  tavily: {
    query: 'node streams',
    answer: null,
    images: [],
    results: [
      { ...streams, content: 'A stream is an abstract interface & more.', score: 0.98, raw_content: null },
    ],
    response_time: '1.09',
    request_id: '123',
  },
  exa: {
    requestId: 'b5947044c4b78efa9552a7c89b306d95',
    resolvedSearchType: 'neural',
    results: [
      {
        ...streams,
        id: streams.url,
        publishedDate: '2026-01-01T00:00:00.000Z',
        author: null,
        highlights: ['A stream is an abstract interface', 'and more.'],
        highlightScores: [0.4, 0.2],
      },
    ],
    costDollars: { total: 0.007 },
  },
  searxng: {
    query: 'node streams',
    number_of_results: 0,
    results: [
      {
        ...streams,
        content: 'A stream is an abstract interface & more.',
        engine: 'brave',
        score: 1,
        category: 'general',
      },
    ],
    answers: [],
    suggestions: [],
    unresponsive_engines: [['google', 'CAPTCHA']],
  },
} as const;

/** The page for browsers without scripts, shortened. */
const duckduckgoPage = `<!DOCTYPE html><html><head><title>node streams at DuckDuckGo</title></head><body>
<div id="links" class="results">
  <div class="result results_links results_links_deep result--ad"><h2 class="result__title">
    <a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.test">Buy streams</a></h2></div>
  <div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
    <h2 class="result__title"><a rel="nofollow" class="result__a"
      href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fnodejs.org%2Fapi%2Fstream.html&amp;rut=abc">Stream | Node.js</a></h2>
    <a class="result__url" href="//duckduckgo.com/l/?uddg=x">nodejs.org/api/stream.html</a>
    <a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">A <b>stream</b> is an abstract interface &amp; more.</a>
  </div></div>
</div></body></html>`;

describe('each service', () => {
  test.each<[SearchService['name'], string, Record<string, string>, object]>([
    ['brave', '/?q=node+streams&count=10', { 'x-subscription-token': 'k-1' }, {}],
    ['tavily', '/', { authorization: 'Bearer k-1' }, { query: 'node streams', max_results: 10 }],
    [
      'exa',
      '/',
      { 'x-api-key': 'k-1' },
      { query: 'node streams', numResults: 10, contents: { highlights: true } },
    ],
    ['searxng', '/search?q=node+streams&format=json', {}, {}],
  ])('%s is asked and read as documented', async (name, path, headers, body) => {
    const { url, requests } = await loopback(json(replies[name as keyof typeof replies]));
    const snippet =
      name === 'exa'
        ? 'A stream is an abstract interface … and more.'
        : 'A stream is an abstract interface & more.';
    expect(await search(name, url)).toEqual([{ ...streams, snippet }]);
    expect(requests).toEqual([{ path, headers: expect.objectContaining(headers), body }]);
  });

  test('DuckDuckGo: links are unwrapped, advertisements are dropped', async () => {
    const { url, requests } = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(duckduckgoPage);
    });
    expect(await search('duckduckgo', `${url}/html/`)).toEqual([
      { ...streams, snippet: 'A stream is an abstract interface & more.' },
    ]);
    expect(requests[0]?.path).toBe('/html/?q=node+streams');
  });

  test.each<[SearchService['name'], string | object]>([
    ['brave', '(site:a.org OR site:b.org) -site:c.org'],
    ['searxng', '(site:a.org OR site:b.org) -site:c.org'],
    ['duckduckgo', '(site:a.org OR site:b.org) -site:c.org'],
    ['tavily', { include_domains: ['a.org', 'b.org'], exclude_domains: ['c.org'] }],
    ['exa', { includeDomains: ['a.org', 'b.org'], excludeDomains: ['c.org'] }],
  ])('%s gets the domains in its own way', async (name, expected) => {
    const { url, requests } = await loopback(json({ results: [], web: { results: [] } }));
    const query = { query: 'x', allowedDomains: ['a.org', 'b.org'], blockedDomains: ['c.org'] };
    await search(name, url, { query }).catch(() => undefined);
    const [request] = requests;
    if (typeof expected === 'object') expect(request?.body).toMatchObject(expected);
    else expect(new URL(request?.path ?? '', url).searchParams.get('q')).toBe(`x ${expected}`);
  });

  test.each<[SearchService['name'], string]>([
    ['brave', '{"type":"search","query":{}}'],
    ['tavily', '{"results":[]}'],
    ['exa', '{"results":[]}'],
    ['searxng', '{"results":[],"unresponsive_engines":[]}'],
    ['duckduckgo', '<div id="links" class="results"><div class="no-results">No results.</div></div>'],
  ])('%s may find nothing', async (name, body) => {
    const { url } = await loopback((response) => void response.end(body));
    expect(await search(name, url)).toEqual([]);
  });
});

describe('a failure is reported in one sentence, with what to do', () => {
  const reply =
    (status: number, body = '', headers: Record<string, string> = {}) =>
    (response: ServerResponse) => {
      response.writeHead(status, headers).end(body);
    };
  const page = '<!doctype html><h1>Sign in</h1>';
  test.each<[string, SearchService['name'], (response: ServerResponse) => void, string]>([
    [
      'a wrong key',
      'brave',
      reply(401),
      'rejected the key (status 401). The user has to run `aca keys set brave`.',
    ],
    ['a key without rights', 'exa', reply(403), 'run `aca keys set exa`.'],
    ['JSON turned off', 'searxng', reply(403), 'Add json to search.formats in its settings.yml.'],
    ['no credit', 'tavily', reply(432), 'has no credit left (status 432). See https://app.tavily.com.'],
    ['too often', 'brave', reply(429, '', { 'retry-after': '7' }), 'Try again in 7s.'],
    ['too often, without a time', 'tavily', reply(429), 'Try again later.'],
    ['a server error', 'exa', reply(502), 'answered with status 502. Try again later.'],
    ['HTML instead of JSON', 'brave', reply(200, page), 'answered with a web page instead of JSON.'],
    [
      'another format',
      'searxng',
      reply(200, '{"ok":true}'),
      'answered in an unknown format. Check webSearch.address.',
    ],
    ['nothing at all', 'tavily', reply(200), 'answered in an unknown format.'],
    ['a robot check', 'duckduckgo', reply(202, page), 'wants proof that a person is searching.'],
    ['a hidden robot check', 'duckduckgo', reply(200, '<div class="anomaly-modal">'), 'wants proof'],
    [
      'a redirect',
      'brave',
      reply(302, '', { location: 'http://169.254.169.254/' }),
      'which is not followed.',
    ],
    ['a huge reply', 'tavily', reply(200, 'x'.repeat(3_000_000)), 'sent more than 2 MB.'],
  ])('%s', async (_name, service, answer, words) => {
    const { url, requests } = await loopback(answer);
    await expect(search(service, url)).rejects.toThrow(words);
    expect(requests).toHaveLength(1);
  });

  test('no connection', async () => {
    const url = await deadUrl();
    await expect(search('searxng', url)).rejects.toThrow(`Cannot fetch ${url}/: `);
  });

  test('no answer in time', async () => {
    const { url } = await loopback(() => undefined);
    await expect(search('brave', url, { timeLimitMs: 50 })).rejects.toThrow('did not answer within 0.05s.');
  });
});

test('a name that resolves to a private address is refused, unless the user configured it', async () => {
  const { url } = await loopback(json({ results: [] }));
  const backend = { type: 'service' as const, service: serviceOf('tavily'), address: url, key: 'k' };
  const asked = (isOwnAddress: boolean) =>
    searchService(plain, { backend: { ...backend, isOwnAddress }, options: {}, signal: never });
  await expect(asked(false)).rejects.toThrow('is a loopback address; only public addresses');
  expect(await asked(true)).toEqual([]);
});
