import { describe, expect, test } from 'vitest';
import { deadUrl, fails, hello, loopback, modelInfo, play } from '../../../test/support/loopback.ts';
import { httpClient } from '../../lib/network/http-client.ts';
import { createAnthropic } from './anthropic.ts';

const key = 'sk-ant-secret-0123456789';
const provider = (url: string) =>
  createAnthropic({ name: 'anthropic', baseUrl: url, apiKey: key, infoOf: () => modelInfo() });

type Frame = { type: string; [field: string]: unknown };
const events = (...frames: (Frame | string)[]) =>
  frames
    .map((frame) =>
      typeof frame === 'string' ? frame : `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`,
    )
    .join('');
const serve = (body: string, contentType = 'text/event-stream') =>
  loopback((response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(body);
  });

const start = { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 1 } } };
const opened = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const hi = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi ☕' } };
const closed = { type: 'content_block_stop', index: 0 };
const done = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } };
const stop = { type: 'message_stop' };

describe('[V03][V10] Anthropic over a real connection', () => {
  test('streams a reply; key, version and body are where the vendor expects them', async () => {
    const server = await serve(events(start, { type: 'ping' }, opened, hi, closed, done, stop));

    const { events: said, error } = await play(provider(`${server.url}/v1/`), hello());

    expect(error).toBeUndefined();
    expect(said).toEqual([
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 } },
      { type: 'text', text: 'hi ☕' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 } },
      { type: 'stop', reason: 'end' },
    ]);
    expect(server.requests).toHaveLength(1);
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/messages');
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'anthropic-version': '2026-10-21',
    });
    expect(request?.body).toMatchObject({ model: 'm', max_tokens: 8192, stream: true });
  });

  test('uses the given HTTP client and the configured headers, and sends no key if there is none', async () => {
    const server = await serve(events(start, stop));
    const urls: string[] = [];
    const keyless = createAnthropic({
      name: 'gateway',
      baseUrl: server.url,
      headers: { 'x-team': 'blue' },
      infoOf: () => modelInfo(),
      http: (request) => {
        urls.push(request.url);
        return httpClient(request);
      },
    });

    await play(keyless, hello());

    expect(urls).toEqual([`${server.url}/v1/messages`]);
    expect(server.requests[0]?.headers['x-team']).toBe('blue');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.headers['x-api-key']).toBeUndefined();
  });

  test('uses the older API version when a temperature is set: the newer one has no temperature', async () => {
    const server = await serve(events(start, stop));

    await play(provider(server.url), hello({ temperature: 0.5 }));

    expect(server.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
    expect(server.requests[0]?.body).toMatchObject({ temperature: 0.5 });
  });

  test('decodes a character whose bytes arrive in separate chunks', async () => {
    const bytes = Buffer.from(events(start, opened, hi, closed, done, stop));
    const middle = bytes.indexOf(Buffer.from('☕')) + 1;
    const server = await loopback(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(bytes.subarray(0, middle));
      await new Promise((resolve) => setTimeout(resolve, 30));
      response.end(bytes.subarray(middle));
    });

    const { events: said } = await play(provider(server.url), hello());

    expect(said).toContainEqual({ type: 'text', text: 'hi ☕' });
  });
});

describe('failures', () => {
  test.each([
    [401, 'authentication_error', 'invalid x-api-key', 'auth'],
    [403, 'permission_error', 'no', 'auth'],
    [404, 'not_found_error', 'model: claude-9', 'model_not_found'],
    [400, 'invalid_request_error', 'max_tokens: too large', 'bad_request'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'overflow'],
    [400, 'invalid_request_error', 'Your credit balance is too low', 'quota'],
    [429, 'rate_limit_error', 'slow down', 'rate_limit'],
    [529, 'overloaded_error', 'Overloaded', 'overloaded'],
  ])(
    'HTTP %i (%s: %s) is %s, reported once, in the vendor’s own words',
    async (status, type, message, kind) => {
      const server = await loopback((response) =>
        fails(response, status, { body: { type: 'error', error: { type, message } } }),
      );

      const { events: said, error } = await play(provider(server.url), hello());

      expect(said).toEqual([]);
      expect(error).toMatchObject({ name: 'ProviderError', kind, message, provider: 'anthropic', status });
      expect(server.requests).toHaveLength(1);
    },
  );

  test('a rate limit carries its retry delay, and an echoed key is redacted', async () => {
    const server = await loopback((response) =>
      fails(response, 429, {
        body: { type: 'error', error: { type: 'rate_limit_error', message: `too fast, ${key}` } },
        headers: { 'retry-after': '7' },
      }),
    );

    const { error } = await play(provider(server.url), hello());

    expect(error).toMatchObject({ retryAfterMs: 7000 });
    expect(String(error)).not.toContain(key);
  });

  test('an HTML page is not a reply, whatever its content type', async () => {
    const page = '<!doctype html><html><title>Sign in</title>\n\n<p>to the guest network</p></html>';
    for (const type of ['text/html', 'text/event-stream']) {
      const { error } = await play(provider((await serve(page, type)).url), hello());
      expect(error).toMatchObject({
        kind: 'protocol',
        message: expect.stringContaining('Sign in to the guest network'),
      });
    }
    const bad = await loopback((response) => fails(response, 502, { body: page }));
    expect((await play(provider(bad.url), hello())).error).toMatchObject({
      kind: 'server_error',
      message: 'Sign in to the guest network',
    });
  });

  test.each([
    ['broken JSON', 'event: content_block_delta\ndata: {"type":"content_blo\n\n'],
    ['no JSON', 'event: message_start\ndata: plain words\n\n'],
    ['a frame without its parts', 'event: content_block_delta\ndata: {"type":"content_block_delta"}\n\n'],
    ['null', 'event: message_start\ndata: null\n\n'],
  ])('%s in a frame is reported with an excerpt', async (_what, raw) => {
    const server = await serve(events(start, opened, hi, raw, stop));

    const { events: said, error } = await play(provider(server.url), hello());

    expect(said).toContainEqual({ type: 'text', text: 'hi ☕' });
    expect(error).toMatchObject({ kind: 'protocol' });
    expect(String(error)).toContain(raw.split('data: ')[1]?.trim().slice(0, 12));
  });

  test.each([
    ['overloaded_error', 'overloaded'],
    ['api_error', 'server_error'],
    ['rate_limit_error', 'rate_limit'],
    ['invalid_request_error', 'bad_request'],
    ['authentication_error', 'auth'],
    ['billing_error', 'quota'],
    ['timeout_error', 'timeout'],
    ['request_too_large', 'overflow'],
    ['an_error_to_come', 'server_error'],
  ])('%s inside the stream is %s', async (type, kind) => {
    const server = await serve(events(start, { type: 'error', error: { type, message: 'So sorry' } }));

    const { error } = await play(provider(server.url), hello());

    expect(error).toMatchObject({ name: 'ProviderError', kind, message: 'So sorry' });
  });

  test('a stream without its final event is `cut` after some output, a timeout before any', async () => {
    const cut = await play(provider((await serve(events(start, opened, hi, closed, done))).url), hello());
    expect(cut.error).toMatchObject({ kind: 'cut' });
    expect(cut.events).toContainEqual({ type: 'text', text: 'hi ☕' });

    expect((await play(provider((await serve(events(start))).url), hello())).error).toMatchObject({
      kind: 'timeout',
    });
    expect((await play(provider((await serve('')).url), hello())).error).toMatchObject({ kind: 'timeout' });
  });

  test('a broken connection is `cut` after the first output and retryable before it', async () => {
    for (const [body, kind] of [
      [events(start, opened, hi), 'cut'],
      [events(start), 'timeout'],
    ] as const) {
      const server = await loopback(async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(body);
        await new Promise((resolve) => setTimeout(resolve, 50));
        response.destroy();
      });
      expect((await play(provider(server.url), hello())).error).toMatchObject({ kind });
    }
    const deaf = await loopback((response) => void response.destroy());
    expect((await play(provider(deaf.url), hello())).error).toMatchObject({ kind: 'timeout' });
  });

  test('connection refused is a network error', async () => {
    expect((await play(provider(await deadUrl()), hello())).error).toMatchObject({ kind: 'network' });
  });

  test('an abort throws its reason, before and during the reply', async () => {
    const reason = new DOMException('enough', 'AbortError');
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events(start, opened, hi));
    });
    const user = new AbortController();
    const said: string[] = [];
    const run = async () => {
      for await (const event of provider(server.url).stream(hello(), user.signal)) {
        said.push(event.type);
        if (event.type === 'text') user.abort(reason);
      }
    };

    await expect(run()).rejects.toBe(reason);
    expect(said).toEqual(['usage', 'text']);
    expect((await play(provider(server.url), hello(), AbortSignal.abort(reason))).error).toBe(reason);
  });

  test('a consumer that stops reading closes the connection', async () => {
    let gone: Promise<unknown> | undefined;
    const server = await loopback((response) => {
      gone = new Promise((resolve) => response.on('close', resolve));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events(start, opened, hi));
    });

    for await (const event of provider(server.url).stream(hello(), new AbortController().signal)) {
      if (event.type === 'text') break;
    }

    await gone;
  });
});

describe('counting tokens', () => {
  test('asks the vendor, and omits what only a reply needs', async () => {
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"input_tokens":42}');
    });

    const request = hello({ temperature: 1, stopSequences: ['x'] });
    expect(await provider(server.url).countTokens(request, new AbortController().signal)).toBe(42);
    expect(server.requests[0]?.path).toBe('/v1/messages/count_tokens');
    expect(Object.keys(server.requests[0]?.body ?? {}).sort()).toEqual(['messages', 'model', 'system']);
  });

  test('is left to the caller when the vendor cannot count', async () => {
    const server = await loopback((response) => fails(response, 404, { body: {} }));

    expect(await provider(server.url).countTokens(hello(), new AbortController().signal)).toBeNull();
  });
});

describe('what the vendor says beside its answer', () => {
  const drop = { type: 'thinking_dropped', path: 'messages.3.content.0', reason: 'prefix_binding_mismatch' };
  const dropped = {
    kind: 'thinking_dropped',
    path: 'messages.3.content.0',
    reason: 'prefix_binding_mismatch',
  };

  test('changes to the request are reported once, and again if they differ', async () => {
    const begun = { ...start, message: { input_transformations: [drop] } };
    const server = await serve(
      events(
        begun,
        { ...done, input_transformations: [drop] },
        { ...done, input_transformations: [{ ...drop, type: 'thinking_mismatch_allowed' }] },
        { ...done, input_transformations: [] },
        stop,
      ),
    );
    const { events: said } = await play(provider(server.url), hello());
    expect(said.filter(({ type }) => type === 'input_transformed')).toEqual([
      { type: 'input_transformed', transformations: [dropped] },
      { type: 'input_transformed', transformations: [{ ...dropped, kind: 'thinking_mismatch_allowed' }] },
    ]);
  });

  test.each([
    [{ type: 'refusal', category: 'cyber', explanation: null }, { category: 'cyber' }],
    [{ type: 'refusal', category: null }, undefined],
    [undefined, undefined],
  ])('a refusal with %j has the category %j', async (stop_details, refusal) => {
    const delta = { stop_reason: 'refusal', stop_details };
    const server = await serve(events(start, { type: 'message_delta', delta }, stop));
    const { events: said } = await play(provider(server.url), hello());
    expect(said.at(-1)).toEqual({ type: 'stop', reason: 'refusal', ...(refusal && { refusal }) });
  });

  const limited = { error: { type: 'rate_limit_error', message: 'You have reached your limit.' } };
  test.each<[string, Record<string, string>, object]>([
    [
      'https://api.anthropic.com',
      {},
      { kind: 'quota', nextStep: expect.stringContaining('monthly spend limit') },
    ],
    ['https://api.anthropic.com', { 'retry-after': '3' }, { kind: 'rate_limit', retryAfterMs: 3000 }],
    ['https://gateway.example', {}, { kind: 'rate_limit' }],
    ['https://notanthropic.com', {}, { kind: 'rate_limit' }],
  ])('429 of %s with %j', async (baseUrl, headers, expected) => {
    const server = await loopback((response) => fails(response, 429, { body: limited, headers }));
    const at = createAnthropic({
      name: 'anthropic',
      baseUrl,
      infoOf: () => modelInfo(),
      http: (request) => httpClient({ ...request, url: request.url.replace(baseUrl, server.url) }),
    });
    const { error } = await play(at, hello());
    expect(error).toMatchObject({ status: 429, message: 'You have reached your limit.', ...expected });
  });
});
