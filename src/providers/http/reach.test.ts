import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { deadUrl } from '../../../test/support/loopback.ts';
import { type HttpClient, httpClient } from '../../lib/network/http-client.ts';
import type { Protocol } from '../presets.ts';
import { listUrl, reach } from './reach.ts';

type Heard = { url: string | undefined; headers: Record<string, unknown> };

async function server(): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const http = createServer((request, response) => {
    const { 'x-api-key': own, 'x-goog-api-key': google, authorization } = request.headers;
    heard.push({ url: request.url, headers: { own, google, authorization } });
    response.statusCode = 401;
    response.end('who are you?');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, heard };
}

test.each<[Protocol, string, string]>([
  ['anthropic', 'https://a.example', 'https://a.example/v1/models'],
  ['anthropic', 'https://a.example/v1/', 'https://a.example/v1/models'],
  ['openai-chat', 'https://a.example/openai/v1', 'https://a.example/openai/v1/models'],
  ['openai-responses', 'https://a.example/v1', 'https://a.example/v1/models'],
  ['google', 'https://a.example/', 'https://a.example/v1beta/models'],
  ['ollama', 'http://127.0.0.1:11434', 'http://127.0.0.1:11434/api/tags'],
])('%s at %s is requested at %s', (protocol, baseUrl, url) => {
  expect(listUrl(protocol, baseUrl)).toBe(url);
});

test('any response means reachable; no key is sent unless given, and each vendor gets it in its own header', async () => {
  const { url, heard } = await server();
  const ask = (protocol: Protocol, key?: string) =>
    reach({ protocol, baseUrl: url, http: httpClient, timeoutMs: 10_000, ...(key !== undefined && { key }) });
  expect(await ask('openai-chat')).toEqual({
    type: 'answered',
    status: 401,
    ms: expect.any(Number),
    date: expect.any(String),
  });
  for (const protocol of ['openai-chat', 'anthropic', 'google'] as const) await ask(protocol, 'k');
  expect(heard.map(({ headers }) => headers)).toEqual([
    {},
    { authorization: 'Bearer k' },
    { own: 'k' },
    { google: 'k' },
  ]);
});

test('an unreachable server is reported with the reason: connection refused, or timeout', async () => {
  const refused = await reach({
    protocol: 'ollama',
    baseUrl: await deadUrl(),
    http: httpClient,
    timeoutMs: 10_000,
  });
  const never: HttpClient = ({ signal }) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const late = await reach({ protocol: 'ollama', baseUrl: 'http://a', http: never, timeoutMs: 10 });
  expect([refused, late]).toEqual([
    { type: 'silent', because: 'ECONNREFUSED' },
    { type: 'silent', because: 'no answer within 0.01s' },
  ]);
});

test.each([
  ['a closed list', { 'Bearer right': 200 }, 401, 'right', { status: 200, needsKey: true }],
  ['a closed list that is forbidden', { 'Bearer right': 200 }, 403, 'right', { status: 200, needsKey: true }],
  ['a closed list', { 'Bearer right': 200 }, 401, 'wrong', { status: 401 }],
  ['an open list', {}, 200, 'wrong', { status: 200, needsKey: false }],
  ['an open list of a busy server', { 'Bearer right': 200 }, 429, 'right', { status: 200, needsKey: false }],
] as const)('%s says of a key only what it can know', async (_list, known, others, key, expected) => {
  const http = createServer((request, response) => {
    response.statusCode = (known as Record<string, number>)[request.headers.authorization ?? ''] ?? others;
    response.end('[]');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const baseUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const reached = await reach({ protocol: 'openai-chat', baseUrl, key, http: httpClient, timeoutMs: 10_000 });
  expect(reached).toEqual({
    type: 'answered',
    ms: expect.any(Number),
    date: expect.any(String),
    ...expected,
  });
});
