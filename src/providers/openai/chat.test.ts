import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  deadUrl,
  fails,
  hello,
  loopback,
  modelInfo,
  play,
  playUntilBegun,
  sse,
} from '../../../test/support/loopback.ts';
import { ProviderError } from '../../contract/errors.ts';
import { createOpenAIChat } from './chat.ts';

const KEY = 'sk-secret-1234567890';

function chat(url: string) {
  return createOpenAIChat({
    name: 'vendor',
    baseUrl: `${url}/v1`,
    apiKey: KEY,
    infoOf: () => modelInfo(),
  });
}

const delta = (fields: object) => ({ choices: [{ delta: fields }] });
const finish = (reason = 'stop') => ({ choices: [{ delta: {}, finish_reason: reason }] });

describe('[V01] over a real connection', () => {
  test('a request reaches the server as written, and its answer comes back', async () => {
    const server = await loopback((response) =>
      sse(response, [delta({ content: 'hey' }), finish(), '[DONE]']),
    );

    expect(await play(chat(server.url), hello())).toEqual({
      events: [
        { type: 'text', text: 'hey' },
        { type: 'stop', reason: 'end' },
      ],
    });
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}` },
      body: {
        model: 'm',
        stream: true,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
        ],
      },
    });
  });

  test('without a key no authorization header is sent, but the user’s headers are', async () => {
    const server = await loopback((response) => sse(response, [finish()]));
    const provider = createOpenAIChat({
      name: 'local',
      baseUrl: server.url,
      headers: { 'x-team': 'blue' },
      infoOf: () => modelInfo(),
    });

    await play(provider, hello());

    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.headers).toMatchObject({ 'x-team': 'blue' });
  });
});

describe('[N11] failures', () => {
  async function fault(answer: Parameters<typeof loopback>[0]) {
    const server = await loopback(answer);
    const { events, error } = await play(chat(server.url), hello());
    expect(error).toBeInstanceOf(ProviderError);
    expect(server.requests).toHaveLength(1);
    const { kind, status, message, retryAfterMs } = error as ProviderError;
    expect(message).not.toContain(KEY);
    return { events: events.length, kind, status, message, retryAfterMs };
  }

  test('an error response carries the vendor’s message, status and retry delay, and never the key', async () => {
    const body = { error: { message: `Slow down, ${KEY}`, type: 'rate' } };
    expect(await fault((r) => fails(r, 429, { body, headers: { 'retry-after': '7' } }))).toEqual({
      events: 0,
      kind: 'rate_limit',
      status: 429,
      message: 'Slow down, [redacted]',
      retryAfterMs: 7000,
    });
  });

  test.each([
    [401, { error: { message: 'Bad key' } }, 'auth', 'Bad key'],
    [404, { detail: 'No such model' }, 'model_not_found', 'No such model'],
    [400, { error: 'context length exceeded' }, 'overflow', 'context length exceeded'],
    [422, { detail: [{ msg: 'extra field', loc: ['x'] }] }, 'bad_request', 'extra field'],
    [
      400,
      { error: { message: 'Provider returned error', metadata: { raw: '{"m":"upstream"}' } } },
      'bad_request',
      'Provider returned error: {"m":"upstream"}',
    ],
    [503, '<html><body><h1>Down</h1></body></html>', 'overloaded', 'Down'],
    [500, '', 'server_error', 'Internal Server Error'],
    [500, { message: 'The engine is overloaded' }, 'overloaded', 'The engine is overloaded'],
    [504, { message: 'The upstream timed out' }, 'server_error', 'The upstream timed out'],
  ])('status %i with %j is %s', async (status, body, kind, message) => {
    expect(await fault((r) => fails(r, status, { body }))).toMatchObject({ kind, status, message });
  });

  test.each([
    [{ code: 429, message: 'slow down' }, 'rate_limit'],
    [{ code: '502', message: 'bad gateway' }, 'server_error'],
    [{ type: 'server_error', message: 'oops' }, 'server_error'],
    [{ code: 'insufficient_quota', message: 'pay first' }, 'quota'],
    [{ code: 'context_length_exceeded', message: 'too long' }, 'overflow'],
    [{ message: 'no idea' }, 'bad_request'],
  ])('the error %j inside a stream is %s', async (error, kind) => {
    expect(await fault((r) => sse(r, [{ error }]))).toMatchObject({
      events: 0,
      kind,
      message: error.message,
    });
  });

  test('a stream that ends after some text is `cut`', async () => {
    expect(await fault((r) => sse(r, [delta({ content: 'he' })]))).toMatchObject({ events: 1, kind: 'cut' });
  });

  test.each(['insufficient_system_resource', 'network_error', 'error'])(
    'a reply that its vendor could not finish (%s) is retried',
    async (reason) => {
      const server = await loopback((response) => sse(response, [delta({ content: 'he' }), finish(reason)]));
      const { error } = await play(chat(server.url), hello());
      expect(error).toMatchObject({
        kind: 'server_error',
        message: expect.stringContaining(`could not finish the answer (${reason}).`),
      });
    },
  );

  test('a stream that ends before any text is a retryable timeout', async () => {
    expect(await fault((r) => sse(r, []))).toMatchObject({ events: 0, kind: 'timeout' });
    expect(await fault((r) => sse(r, [delta({ role: 'assistant' }), '[DONE]']))).toMatchObject({
      kind: 'timeout',
    });
  });

  test('a connection that breaks during the reply is `cut`, one that breaks before it is a timeout', async () => {
    const broken = await fault(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(delta({ content: 'he' }))}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      response.destroy();
    });
    expect(broken).toMatchObject({ events: 1, kind: 'cut' });
    expect(await fault((response) => void response.destroy())).toMatchObject({ events: 0, kind: 'timeout' });
  });

  test('a connection that breaks after the finish loses nothing', async () => {
    const server = await loopback(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        `data: ${JSON.stringify(delta({ content: 'hey' }))}\n\ndata: ${JSON.stringify(finish())}\n\n`,
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      response.destroy();
    });
    expect(await play(chat(server.url), hello())).toEqual({
      events: [
        { type: 'text', text: 'hey' },
        { type: 'stop', reason: 'end' },
      ],
    });
  });

  test('a web page with status 200 is not the protocol', async () => {
    const page = '<html><head><style>a{}</style></head><body>Please log in</body></html>';
    const got = await fault((r) => void r.writeHead(200, { 'content-type': 'text/html' }).end(page));
    expect(got).toMatchObject({ kind: 'protocol', message: expect.stringContaining('Please log in') });
  });

  test('broken JSON in a frame is not the protocol, and nothing is printed', async () => {
    const print = vi.spyOn(console, 'error');
    onTestFinished(() => print.mockRestore());
    expect(await fault((r) => sse(r, ['{"choices": [oops']))).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('oops'),
    });
    expect(print).not.toHaveBeenCalled();
  });

  test('connection refused is a network error at once', async () => {
    const url = await deadUrl();
    const { error } = await play(chat(url), hello());
    expect(error).toMatchObject({ kind: 'network', message: `Could not connect to ${url} (ECONNREFUSED).` });
  });

  test('a key with a line break is rejected without being quoted', async () => {
    const provider = createOpenAIChat({
      name: 'vendor',
      baseUrl: 'http://127.0.0.1:1',
      apiKey: `${KEY}\n`,
      infoOf: () => modelInfo(),
    });
    const { error } = await play(provider, hello());
    expect(error).toMatchObject({ kind: 'auth', message: expect.not.stringContaining(KEY) });
  });

  test('an invalid URL is reported as such', async () => {
    expect((await play(chat('not a url'), hello())).error).toMatchObject({ kind: 'bad_request' });
  });

  test('an abort throws its reason, before and during the reply', async () => {
    const reason = new Error('enough');
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(delta({ content: 'he' }))}\n\n`);
    });
    const { events, error } = await playUntilBegun(chat(server.url), hello(), reason);
    expect(events).toEqual([{ type: 'text', text: 'he' }]);
    expect(error).toBe(reason);
    expect(await play(chat(server.url), hello(), AbortSignal.abort(reason))).toEqual({
      events: [],
      error: reason,
    });
  });
});
