import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  deadUrl,
  fails,
  hello,
  jsonLines,
  loopback,
  modelInfo,
  play,
  playUntilBegun,
} from '../../../test/support/loopback.ts';
import { ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import { createOllama, hostOf } from './ollama.ts';

function ollama(url: string, info: ModelInfo = modelInfo()) {
  return createOllama({ name: 'ollama', baseUrl: url, infoOf: () => info });
}

const said = (message: object) => ({ message: { role: 'assistant', content: '', ...message }, done: false });
const done = (fields: object = {}) => ({
  message: { role: 'assistant', content: '' },
  done: true,
  ...fields,
});
const stop = (reason: string) => ({ type: 'stop', reason });
const usage = (inputTokens = 0, outputTokens = 0) => ({
  type: 'usage',
  usage: { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
});

async function answered(frames: object[], request: Partial<CompletionRequest> = {}) {
  const server = await loopback((response) => jsonLines(response, frames));
  return play(ollama(server.url), hello(request));
}

/** Fails the test if the library prints: only frontends may. */
function watchConsole(): () => void {
  const spies = (['log', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return () => {
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  };
}

test('[N06] a short request after a long one keeps the context size, so that the model is not reloaded', async () => {
  const server = await loopback((response) => jsonLines(response, [done()]));
  const provider = ollama(server.url, { ...modelInfo(), contextWindow: 131_072 });
  for (const system of ['short', 'long '.repeat(40_000), 'short']) await play(provider, hello({ system }));
  await play(provider, hello({ model: 'another' }));
  expect(server.requests.map(({ body }) => body.options)).toEqual([
    { num_ctx: 32_768 },
    { num_ctx: 65_536 },
    { num_ctx: 65_536 },
    { num_ctx: 32_768 },
  ]);
});

describe('[V05] a reply', () => {
  test('has text and usage', async () => {
    const end = done({ done_reason: 'stop', prompt_eval_count: 12, eval_count: 3 });
    expect(await answered([said({ content: 'he' }), said({ content: 'y' }), end])).toEqual({
      events: [{ type: 'text', text: 'he' }, { type: 'text', text: 'y' }, usage(12, 3), stop('end')],
    });
  });

  test('can hit the output limit', async () => {
    expect((await answered([done({ done_reason: 'length' })])).events.at(-1)).toEqual(stop('max_tokens'));
  });

  test('can contain complete calls, with or without ids', async () => {
    const calls = [
      { function: { name: 'files__read', arguments: { x: 1 } } },
      { id: 'call_9', function: { name: 'Write', arguments: {} } },
    ];
    const tools = [{ name: 'files:read', description: '', parameters: {} }];
    const { events } = await answered([said({ tool_calls: calls }), done({ done_reason: 'stop' })], {
      tools,
    });
    expect(events).toEqual([
      { type: 'tool_call_start', key: '0', name: 'files:read' },
      { type: 'tool_call_delta', key: '0', json: '{"x":1}' },
      { type: 'tool_call_end', key: '0' },
      { type: 'tool_call_start', key: '1', id: 'call_9', name: 'Write' },
      { type: 'tool_call_delta', key: '1', json: '{}' },
      { type: 'tool_call_end', key: '1' },
      usage(),
      stop('tool_calls'),
    ]);
  });

  test('[V09] can contain thinking, in its own field or before a bare closing tag', async () => {
    expect(
      (await answered([said({ thinking: 'hm' }), said({ content: 'ok </think>' }), done()])).events,
    ).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'ok </think>' },
      usage(),
      stop('end'),
    ]);
    expect(
      (await answered([said({ content: 'hm\n\n</thi' }), said({ content: 'nk>\n\nok' }), done()])).events,
    ).toEqual([
      { type: 'text', text: 'hm' },
      { type: 'reclassify', as: 'thinking' },
      { type: 'text', text: 'ok' },
      usage(),
      stop('end'),
    ]);
  });
});

describe('[N11] failures', () => {
  async function fault(answer: Parameters<typeof loopback>[0]) {
    const silent = watchConsole();
    const server = await loopback(answer);
    const { events, error } = await play(ollama(server.url), hello());
    expect(error).toBeInstanceOf(ProviderError);
    expect(server.requests).toHaveLength(1);
    silent();
    const { kind, message } = error as ProviderError;
    return { events: events.length, kind, message };
  }

  test('a missing model is reported with the command to download it', async () => {
    const body = { error: 'model "m" not found, try pulling it first' };
    expect(await fault((r) => fails(r, 404, { body }))).toEqual({
      events: 0,
      kind: 'model_not_found',
      message: 'model "m" not found, try pulling it first. Download it with: ollama pull m',
    });
  });

  test('a model without tool support is reported in the server’s words', async () => {
    const body = { error: 'registry.ollama.ai/library/m does not support tools' };
    expect(await fault((r) => fails(r, 400, { body }))).toEqual({
      events: 0,
      kind: 'bad_request',
      message: body.error,
    });
  });

  test('out of memory is not retried, other server errors are', async () => {
    const body = { error: 'model requires more system memory (9 GiB) than is available (4 GiB)' };
    expect(await fault((r) => fails(r, 500, { body }))).toMatchObject({ kind: 'bad_request' });
    expect(await fault((r) => fails(r, 500, { body: 'runner crashed' }))).toEqual({
      events: 0,
      kind: 'server_error',
      message: 'runner crashed',
    });
  });

  test('an error inside the stream is reported', async () => {
    const error = 'an error was encountered while running the model: unexpected EOF';
    expect(await fault((r) => jsonLines(r, [said({ content: 'he' }), { error }]))).toMatchObject({
      events: 1,
      kind: 'server_error',
      message: error,
    });
  });

  test('an error that arrives in one chunk with much text loses none of the text', async () => {
    const words = Array.from({ length: 20 }, (_, i) => `${JSON.stringify(said({ content: `w${i}` }))}\n`);
    const end = [...words, '{"error":"crashed"}\n'].join('');
    expect(await fault((r) => void r.writeHead(200).end(end))).toMatchObject({
      events: 20,
      kind: 'server_error',
    });
  });

  test('a stream without its final event is `cut`, or a timeout if nothing was received', async () => {
    expect(await fault((r) => jsonLines(r, [said({ content: 'he' })]))).toMatchObject({
      events: 1,
      kind: 'cut',
    });
    expect(await fault((r) => jsonLines(r, []))).toMatchObject({ events: 0, kind: 'timeout' });
    const halfALine = await fault((r) => {
      r.writeHead(200).write(`${JSON.stringify(said({ content: 'he' }))}\n{"message": {"con`);
      r.end();
    });
    expect(halfALine).toMatchObject({ events: 1, kind: 'cut' });
  });

  test('a broken connection during the reply is `cut`', async () => {
    const broken = await fault(async (response) => {
      response.writeHead(200).write(`${JSON.stringify(said({ content: 'he' }))}\n`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      response.destroy();
    });
    expect(broken).toMatchObject({ events: 1, kind: 'cut' });
  });

  test.each([['<html>\n<body>Log in</body>\n</html>'], ['Log in'], ['"Log in"\n'], ['{"status":"ok"}']])(
    '%j is not the protocol',
    async (page) => {
      expect(await fault((r) => void r.writeHead(200).end(page))).toMatchObject({
        events: 0,
        kind: 'protocol',
      });
    },
  );

  test('connection refused is a network error', async () => {
    expect((await play(ollama(await deadUrl()), hello())).error).toMatchObject({ kind: 'network' });
  });

  test('an abort throws its reason, before and during the reply', async () => {
    const reason = new Error('enough');
    const server = await loopback((response) => {
      response.writeHead(200).write(`${JSON.stringify(said({ content: 'he' }))}\n`);
    });
    const { events, error } = await playUntilBegun(ollama(server.url), hello(), reason);
    expect(events).toEqual([{ type: 'text', text: 'he' }]);
    expect(error).toBe(reason);
    expect(await play(ollama(server.url), hello(), AbortSignal.abort(reason))).toEqual({
      events: [],
      error: reason,
    });
    expect(server.requests).toHaveLength(1);
  });
});

test.each([
  ['http://127.0.0.1:11434', 'http://127.0.0.1:11434'],
  ['http://127.0.0.1:11434/', 'http://127.0.0.1:11434'],
  ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434'],
  ['https://ollama.example/base/', 'https://ollama.example/base'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['0.0.0.0:8000', 'http://127.0.0.1:8000'],
  ['localhost', 'http://localhost:11434'],
  ['box.lan:99/x', 'http://box.lan:99/x'],
  [':7777', 'http://127.0.0.1:7777'],
])('[V05] the host %s is %s', (written, meant) => {
  expect(hostOf(written)).toBe(meant);
});
