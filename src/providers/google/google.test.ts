import { describe, expect, test } from 'vitest';
import { fails, hello, loopback, modelInfo, play, sse } from '../../../test/support/loopback.ts';
import type { Message } from '../../contract/message.ts';
import { httpClient } from '../../lib/network/http-client.ts';
import { createGoogle } from './google.ts';

const key = 'AIza-secret-0123456789';
const provider = (url: string) =>
  createGoogle({ name: 'google', baseUrl: url, apiKey: key, infoOf: () => modelInfo() });

const part = (text: string, finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, ...(finishReason ? { finishReason } : {}) }],
});
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 2 };
const usage = {
  type: 'usage',
  usage: { inputTokens: 3, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 },
};
const serve = (body: string, contentType = 'text/event-stream') =>
  loopback((response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  });

describe('[V10] Google over a real connection', () => {
  test('streams a reply; key and body are where the vendor expects them', async () => {
    const server = await loopback((response) =>
      sse(response, [part('hi '), { ...part('☕', 'STOP'), usageMetadata }]),
    );

    const { events, error } = await play(provider(server.url), hello({ model: 'gemini-3.8-flash' }));

    expect(error).toBeUndefined();
    expect(events).toEqual([
      { type: 'text', text: 'hi ' },
      { type: 'text', text: '☕' },
      usage,
      { type: 'stop', reason: 'end' },
    ]);
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request?.path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse');
    expect(request?.headers['x-goog-api-key']).toBe(key);
    expect(request?.body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
      generationConfig: { maxOutputTokens: 8192 },
    });
  });

  test('uses the given HTTP client, the configured headers and the version in the base URL', async () => {
    const server = await loopback((response) => sse(response, [part('ok', 'STOP')]));
    const urls: string[] = [];
    const gateway = createGoogle({
      name: 'gateway',
      baseUrl: `${server.url}/gemini/v1alpha/`,
      headers: { 'x-team': 'blue' },
      infoOf: () => modelInfo(),
      http: (request) => {
        urls.push(request.url);
        return httpClient(request);
      },
    });

    const { error } = await play(gateway, hello());

    expect(error).toBeUndefined();
    expect(urls).toEqual([`${server.url}/gemini/v1alpha/models/m:streamGenerateContent?alt=sse`]);
    expect(server.requests[0]?.headers['x-team']).toBe('blue');
  });
});

describe('failures', () => {
  const error = (code: number, message: string, details: object[] = []) => ({
    error: { code, message, status: 'SOME_STATUS', details },
  });
  const perMinute = [
    { '@type': 'QuotaFailure', violations: [{ quotaId: 'GenerateRequestsPerMinutePerProject' }] },
    { '@type': 'RetryInfo', retryDelay: '3.5s' },
  ];
  const perDay = [
    { '@type': 'QuotaFailure', violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] },
    { '@type': 'RetryInfo', retryDelay: '3s' },
  ];

  test.each<[number, string, object[], string]>([
    [400, 'API key not valid. Please pass a valid API key.', [{ reason: 'API_KEY_INVALID' }], 'auth'],
    [400, 'Invalid value at contents', [], 'bad_request'],
    [400, 'The input token count (2000000) exceeds the maximum', [], 'overflow'],
    [403, 'Permission denied', [], 'auth'],
    [404, 'models/m is not found', [], 'model_not_found'],
    [429, 'You exceeded your current quota', perMinute, 'rate_limit'],
    [429, 'You exceeded your current quota', perDay, 'quota'],
    [503, 'The model is overloaded.', [], 'overloaded'],
  ])(
    'HTTP %i (%s) with %j is %s, reported once, in the vendor’s own words',
    async (status, message, details, kind) => {
      const server = await loopback((response) =>
        fails(response, status, { body: error(status, message, details) }),
      );

      const outcome = await play(provider(server.url), hello());

      expect(outcome.events).toEqual([]);
      expect(outcome.error).toMatchObject({
        name: 'ProviderError',
        kind,
        message,
        provider: 'google',
        status,
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  test('a rate limit carries its retry delay from header or body; an echoed key is redacted', async () => {
    const inBody = await loopback((response) =>
      fails(response, 429, { body: error(429, 'wait', perMinute) }),
    );
    expect((await play(provider(inBody.url), hello())).error).toMatchObject({ retryAfterMs: 3500 });

    const inHeader = await loopback((response) =>
      fails(response, 429, { body: error(429, `not with ${key}`), headers: { 'retry-after': '7' } }),
    );
    const outcome = await play(provider(inHeader.url), hello());
    expect(outcome.error).toMatchObject({ retryAfterMs: 7000 });
    expect(String(outcome.error)).not.toContain(key);
  });

  test('an error inside the stream keeps its kind', async () => {
    const server = await loopback((response) =>
      sse(response, [part('hi'), error(503, 'The model is overloaded.')]),
    );

    const outcome = await play(provider(server.url), hello());

    expect(outcome.events).toEqual([{ type: 'text', text: 'hi' }]);
    expect(outcome.error).toMatchObject({ kind: 'overloaded', message: 'The model is overloaded.' });
  });

  test('an HTML page is not a reply, whatever its content type', async () => {
    for (const page of ['<html><title>Sign in</title>', '<html>\n\n<title>Sign in</title>\n\n']) {
      for (const type of ['text/html', 'text/event-stream']) {
        const { error } = await play(provider((await serve(page, type)).url), hello());
        expect(error).toMatchObject({ kind: 'protocol', message: expect.stringContaining('Sign in') });
      }
    }
  });

  test('a frame that is not JSON is reported with an excerpt', async () => {
    const server = await serve('data: plain words\n\n');

    expect((await play(provider(server.url), hello())).error).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('plain words'),
    });
  });

  test('a stream without its final event is `cut` after some output, a timeout before any', async () => {
    const whole = `data: ${JSON.stringify(part('hi'))}\n\n`;
    for (const body of [whole, `${whole}data: {"cand`]) {
      const cut = await play(provider((await serve(body)).url), hello());
      expect(cut.events).toEqual([{ type: 'text', text: 'hi' }]);
      expect(cut.error).toMatchObject({ kind: 'cut' });
    }
    for (const body of ['', 'data: {"cand']) {
      expect((await play(provider((await serve(body)).url), hello())).error).toMatchObject({
        kind: 'timeout',
      });
    }
  });

  test('a broken connection is `cut` after the first output, retryable before it, ignored after the finish', async () => {
    const breaking = (frames: object[]) =>
      loopback(async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.flushHeaders();
        for (const frame of frames) response.write(`data: ${JSON.stringify(frame)}\n\n`);
        await new Promise((resolve) => setTimeout(resolve, 50));
        response.destroy();
      });

    expect((await play(provider((await breaking([part('hi')])).url), hello())).error).toMatchObject({
      kind: 'cut',
    });
    expect((await play(provider((await breaking([])).url), hello())).error).toMatchObject({
      kind: 'timeout',
    });
    expect(await play(provider((await breaking([part('hi', 'STOP')])).url), hello())).toEqual({
      events: [
        { type: 'text', text: 'hi' },
        { type: 'stop', reason: 'end' },
      ],
    });
  });

  test('an abort throws its reason, before and during the reply', async () => {
    const reason = new DOMException('enough', 'AbortError');
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(part('hi'))}\n\n`);
    });
    const user = new AbortController();
    const run = async () => {
      for await (const _ of provider(server.url).stream(hello(), user.signal)) user.abort(reason);
    };

    await expect(run()).rejects.toBe(reason);
    expect((await play(provider(server.url), hello(), AbortSignal.abort(reason))).error).toBe(reason);
  });

  test('a consumer that stops reading closes the connection', async () => {
    let gone: Promise<unknown> | undefined;
    const server = await loopback((response) => {
      gone = new Promise((resolve) => response.on('close', resolve));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(part('hi'))}\n\n`);
    });

    for await (const _ of provider(server.url).stream(hello(), new AbortController().signal)) break;

    await gone;
  });
});

describe('counting tokens', () => {
  test('asks the vendor, system prompt and tools included', async () => {
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"totalTokens":42}');
    });
    const tools = [{ name: 'Read', description: 'Read a file', parameters: {} }];

    expect(await provider(server.url).countTokens(hello({ tools }), new AbortController().signal)).toBe(42);
    expect(server.requests[0]?.path).toBe('/v1beta/models/m:countTokens');
    const sent = JSON.stringify(server.requests[0]?.body);
    for (const text of ['Be brief.', 'Read a file', '"text":"hi"']) expect(sent).toContain(text);
  });

  test('is left to the caller when the vendor cannot count', async () => {
    const server = await loopback((response) => fails(response, 500, { body: 'oops' }));

    expect(await provider(server.url).countTokens(hello(), new AbortController().signal)).toBeNull();
  });
});

describe('signatures that the vendor rejects', () => {
  const timestamp = '2026-01-01T00:00:00Z';
  const turn = (id: string, signature: string): Message[] => [
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm', signature: `thought ${signature}` },
        { type: 'tool_call', id, name: 'Read', input: {}, signature },
        { type: 'tool_call', id: `${id}2`, name: 'Read', input: {} },
      ],
      provider: 'google',
      model: 'gemini-4-argon',
      stopReason: 'tool_calls',
      timestamp,
    },
    { role: 'tool', callId: id, name: 'Read', success: true, content: [], timestamp },
    { role: 'tool', callId: `${id}2`, name: 'Read', success: true, content: [], timestamp },
  ];
  const signaturesOf = (body: unknown) =>
    [...JSON.stringify(body).matchAll(/"thoughtSignature":"([^"]*)"/g)].map(([, signature]) => signature);
  const PLACEHOLDER = 'skip_thought_signature_validator';

  test.each([
    'Invalid thought signature.',
    'Corrupted thought signature.',
    'Function call `default_api:Read` in the 2. content block is missing a `thought_signature`.',
  ])('%s: the request is repeated with the placeholder, and new signatures stay', async (message) => {
    const server = await loopback((response, { body }) => {
      if (signaturesOf(body).some((signature) => signature?.endsWith('old')))
        fails(response, 400, { body: { error: { code: 400, message, status: 'INVALID_ARGUMENT' } } });
      else sse(response, [part('ok', 'STOP')]);
    });
    const google = provider(server.url);
    const old = hello({ model: 'gemini-4-argon', messages: turn('a', 'old') });
    const { events, error } = await play(google, old);
    expect([events[0], error]).toEqual([{ type: 'text', text: 'ok' }, undefined]);
    const both = { ...old, messages: [...old.messages, ...turn('b', 'new')] };
    expect((await play(google, both)).error).toBeUndefined();
    expect(server.requests.map(({ body }) => signaturesOf(body))).toEqual([
      ['thought old', 'old'],
      [PLACEHOLDER],
      [PLACEHOLDER, 'thought new', 'new'],
    ]);
  });

  test('a second refusal is reported', async () => {
    const server = await loopback((response) =>
      fails(response, 400, { body: { error: { code: 400, message: 'Invalid thought signature.' } } }),
    );
    const { error } = await play(
      provider(server.url),
      hello({ model: 'gemini-4-argon', messages: turn('a', 'old') }),
    );
    expect(error).toMatchObject({ kind: 'stale_reasoning', message: 'Invalid thought signature.' });
    expect(server.requests).toHaveLength(2);
  });
});
