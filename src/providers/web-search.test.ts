import { expect, test } from 'vitest';
import { searchFrames } from '../../test/support/search-frames.ts';
import type { CompletionRequest, ProviderEvent } from '../contract/provider.ts';
import * as anthropic from './anthropic/events.ts';
import { toWire as toAnthropic } from './anthropic/wire.ts';
import * as google from './google/wire.ts';
import { infoOf } from './models/models.ts';
import * as responses from './openai/responses-events.ts';
import * as responsesWire from './openai/responses-wire.ts';
import type { ProviderOptions } from './options.ts';
import { presets } from './presets.ts';
import { wireNames } from './tool-names.ts';

const request = (allowedDomains: string[], blockedDomains: string[]): CompletionRequest => ({
  model: 'm',
  system: '',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: '' }],
  webSearch: { allowedDomains, blockedDomains },
});
const options = { name: 'v', infoOf: (model: string) => infoOf('v', model) } as unknown as ProviderOptions;

test('each vendor gets its own search tool, with the domains it can take', () => {
  const tool = { type: 'web_search_20250305', name: 'web_search', max_uses: 1 };
  const tools = (allowed: string[], blocked: string[]) => {
    const asked = request(allowed, blocked);
    return [
      toAnthropic(asked, options).tools?.map(({ cache_control: _, ...rest }) => rest),
      responsesWire.toWire(asked, options).tools,
      google.toWire(asked, options).tools,
    ];
  };
  const openai = { type: 'web_search', search_context_size: 'low' };
  expect(tools([], [])).toEqual([[tool], [openai], [{ googleSearch: {} }]]);
  expect(tools(['a.org'], ['b.org'])).toEqual([
    [{ ...tool, allowed_domains: ['a.org'] }],
    [{ ...openai, filters: { allowed_domains: ['a.org'] } }],
    [{ googleSearch: {} }],
  ]);
  expect(tools([], ['b.org'])[0]).toEqual([{ ...tool, blocked_domains: ['b.org'] }]);
  expect(responsesWire.toWire(request([], []), options).include).toContain('web_search_call.action.sources');
});

type Search = Extract<ProviderEvent, { type: 'web_search' }>;
const searches = (events: Iterable<ProviderEvent>): Search[] =>
  [...events].filter((event) => event.type === 'web_search');

const url = 'https://nodejs.org/api/stream.html';
const redirect = 'https://vertexaisearch.cloud.google.com/grounding-api-redirect/';

test('Anthropic: results, then what is cited of them', () => {
  const state = anthropic.newReply();
  const events = searchFrames.anthropic.flatMap((frame) => [...anthropic.toEvents(frame as never, state)]);
  expect(searches(events)).toEqual([
    {
      type: 'web_search',
      searches: 1,
      hits: [
        { title: 'Stream | Node.js', url, snippet: '' },
        { title: 'My streams', url: 'https://blog.test/streams', snippet: '' },
      ],
    },
    {
      type: 'web_search',
      searches: 0,
      hits: [{ title: 'Stream | Node.js', url, snippet: 'A stream is an abstract interface.' }],
    },
  ]);
  // The vendor's own call is none of ours.
  expect(events.filter(({ type }) => type.startsWith('tool_call_start'))).toEqual([]);
});

test('Anthropic: a search that failed is said and not counted', () => {
  const content = { type: 'web_search_tool_result_error', error_code: 'too_many_requests' };
  const block = { type: 'web_search_tool_result', tool_use_id: 's', content };
  const frame = { type: 'content_block_start', index: 0, content_block: block };
  expect([...anthropic.toEvents(frame as never, anthropic.newReply())]).toEqual([
    { type: 'text', text: '\n[The search failed: too_many_requests]\n' },
  ]);
});

test('OpenAI: sources, then what is cited of them', () => {
  const reply = responses.openReply(options, wireNames([]));
  const events = searchFrames['openai-responses'].flatMap((frame) => [
    ...responses.toEvents(frame as never, reply),
  ]);
  expect(searches(events)).toEqual([
    {
      type: 'web_search',
      searches: 1,
      hits: [
        { title: '', url, snippet: '' },
        { title: '', url: 'https://blog.test/streams', snippet: '' },
      ],
    },
    {
      type: 'web_search',
      searches: 0,
      hits: [{ title: 'Stream | Node.js', url, snippet: 'A stream is an abstract interface.' }],
    },
  ]);
});

test('Google: pages with their real domain, and what they support', () => {
  const state = google.newReply('google');
  const events = searchFrames.google.flatMap((frame) => [...google.toEvents(frame as never, state)]);
  expect(searches(events)).toEqual([
    {
      type: 'web_search',
      searches: 1,
      hits: [
        {
          title: 'nodejs.org',
          url: `${redirect}A1`,
          snippet: 'A stream is an abstract interface.',
          domain: 'nodejs.org',
        },
        { title: 'blog.test', url: `${redirect}B2`, snippet: '', domain: 'blog.test' },
      ],
    },
  ]);
});

test.each([
  ['anthropic', 'claude-sonnet-5-5', true],
  ['anthropic', 'claude-3-haiku-20240307', false],
  ['openai', 'gpt-6.1-sol', true],
  ['openai', 'gpt-4.1-nano', false],
  ['openai', 'gpt-4-turbo', false],
  ['google', 'gemini-4-argon', true],
  ['google', 'gemini-1.5-pro', false],
])('whether %s/%s can search', (provider, model, can) => {
  const preset = presets.find(({ name }) => name === provider);
  const row = preset && 'webSearch' in preset ? preset.webSearch : null;
  expect(row?.models.test(model)).toBe(can);
});
