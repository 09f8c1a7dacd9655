import { describe, expect, test } from 'vitest';
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
import type { Message } from '../../contract/message.ts';
import type { ModelInfo } from '../../contract/provider.ts';
import { createOpenAIResponses } from './responses.ts';

const KEY = 'sk-secret-1234567890';

function responses(url: string, info: ModelInfo = modelInfo()) {
  return createOpenAIResponses({ name: 'openai', baseUrl: `${url}/v1`, apiKey: KEY, infoOf: () => info });
}

async function answered(frames: object[], tools: string[] = []) {
  const server = await loopback((response) => sse(response, frames));
  const definitions = tools.map((name) => ({ name, description: '', parameters: {} }));
  return play(responses(server.url), hello({ tools: definitions }));
}

const said = (delta: string, output_index = 0) => ({
  type: 'response.output_text.delta',
  output_index,
  delta,
});
const completed = (response: object = {}) => ({ type: 'response.completed', response });
const done = (item: object, output_index = 0) => ({ type: 'response.output_item.done', output_index, item });
const added = (item: object, output_index = 0) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const stop = (reason: string) => ({ type: 'stop', reason });

test('a message ends with its label, and with its id if thinking came before it', async () => {
  const message = {
    type: 'message',
    id: 'msg_1',
    phase: 'commentary',
    content: [{ type: 'output_text', text: 'a' }],
  };
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'X' };
  expect(await answered([said('a'), done(message), completed()])).toEqual({
    events: [{ type: 'text', text: 'a' }, { type: 'text_end', phase: 'commentary' }, stop('end')],
  });
  expect(await answered([done(reasoning), done({ ...message, phase: undefined }, 1), completed()])).toEqual({
    events: [
      { type: 'thinking_signature', signature: '{"id":"rs_1","encrypted_content":"X"}', redacted: true },
      { type: 'text', text: 'a' },
      { type: 'text_end', signature: 'msg_1' },
      stop('end'),
    ],
  });
});

describe('[V04] Responses frames as events', () => {
  test('text and usage, cached tokens counted separately', async () => {
    const usage = { input_tokens: 100, output_tokens: 7, input_tokens_details: { cached_tokens: 60 } };
    const message = { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] };
    expect(
      await answered([
        { type: 'response.created' },
        said('Hel'),
        said('lo'),
        done(message),
        completed({ usage }),
      ]),
    ).toEqual({
      events: [
        { type: 'text', text: 'Hel' },
        { type: 'text', text: 'lo' },
        {
          type: 'usage',
          usage: { inputTokens: 40, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 0 },
        },
        stop('end'),
      ],
    });
  });

  test('calls in fragments, in parallel, with encoded names', async () => {
    const item = (call_id: string, args = '') => ({
      type: 'function_call',
      id: `fc_${call_id}`,
      call_id,
      name: 'files__read',
      arguments: args,
    });
    const piece = (output_index: number, delta: string) => ({
      type: 'response.function_call_arguments.delta',
      output_index,
      delta,
    });
    const { events } = await answered(
      [
        added(item('a'), 1),
        added(item('b'), 3),
        piece(1, '{"x"'),
        piece(3, '{}'),
        piece(1, ':1}'),
        done(item('a', '{"x":1}'), 1),
        done(item('b', '{}'), 3),
        completed(),
      ],
      ['files:read'],
    );
    expect(events).toEqual([
      { type: 'tool_call_start', key: '0', id: 'a', name: 'files:read' },
      { type: 'tool_call_start', key: '1', id: 'b', name: 'files:read' },
      { type: 'tool_call_delta', key: '0', json: '{"x"' },
      { type: 'tool_call_delta', key: '1', json: '{}' },
      { type: 'tool_call_delta', key: '0', json: ':1}' },
      { type: 'tool_call_end', key: '0' },
      { type: 'tool_call_end', key: '1' },
      stop('tool_calls'),
    ]);
  });

  test('two calls at one index stay separate', async () => {
    const item = (call_id: string) => ({ type: 'function_call', call_id, name: 'Read', arguments: '{}' });
    const { events } = await answered([added(item('a')), added(item('b')), done(item('b')), completed()]);
    expect(events.filter((event) => event.type === 'tool_call_start')).toEqual([
      { type: 'tool_call_start', key: '0', id: 'a', name: 'Read' },
      { type: 'tool_call_start', key: '1', id: 'b', name: 'Read' },
    ]);
  });

  test('parallel calls without an index are distinguished by id', async () => {
    const item = (name: string, args = '') => ({
      type: 'function_call',
      id: `fc_${name}`,
      call_id: `call_${name}`,
      name,
      arguments: args,
    });
    const piece = (name: string, delta: string) => ({
      type: 'response.function_call_arguments.delta',
      item_id: `fc_${name}`,
      delta,
    });
    const { events } = await answered([
      { type: 'response.output_item.added', item: item('Read') },
      { type: 'response.output_item.added', item: item('Grep') },
      piece('Read', '{"x":1}'),
      piece('Grep', '{}'),
      { type: 'response.output_item.done', item: item('Read', '{"x":1}') },
      { type: 'response.output_item.done', item: item('Grep', '{}') },
      completed(),
    ]);
    expect(events).toEqual([
      { type: 'tool_call_start', key: '0', id: 'call_Read', name: 'Read' },
      { type: 'tool_call_start', key: '1', id: 'call_Grep', name: 'Grep' },
      { type: 'tool_call_delta', key: '0', json: '{"x":1}' },
      { type: 'tool_call_delta', key: '1', json: '{}' },
      { type: 'tool_call_end', key: '0' },
      { type: 'tool_call_end', key: '1' },
      stop('tool_calls'),
    ]);
  });

  test('fragments without an item id belong to the last call, or to the current text', async () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'Read' };
    const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'hey' }] };
    const { events } = await answered([
      { type: 'response.output_text.delta', delta: 'hey' },
      { type: 'response.output_item.done', item: message },
      { type: 'response.output_item.added', item: { ...call, arguments: '' } },
      { type: 'response.function_call_arguments.delta', delta: '{}' },
      { type: 'response.output_item.done', item: { ...call, arguments: '{}' } },
      completed(),
    ]);
    expect(events).toEqual([
      { type: 'text', text: 'hey' },
      { type: 'tool_call_start', key: '0', id: 'c', name: 'Read' },
      { type: 'tool_call_delta', key: '0', json: '{}' },
      { type: 'tool_call_end', key: '0' },
      stop('tool_calls'),
    ]);
  });

  test('calls without ids are kept', async () => {
    const item = { type: 'function_call', name: 'Read', arguments: '{}' };
    const { events } = await answered([
      added(item, 0),
      done(item, 0),
      added(item, 1),
      done(item, 1),
      completed(),
    ]);
    expect(events).toEqual([
      ...['0', '1'].flatMap((key) => [
        { type: 'tool_call_start', key, name: 'Read' },
        { type: 'tool_call_delta', key, json: '{}' },
        { type: 'tool_call_end', key },
      ]),
      stop('tool_calls'),
    ]);
  });

  test('arguments sent as an object are serialized', async () => {
    const item = { type: 'function_call', call_id: 'a', name: 'Read', arguments: { x: 1 } };
    const { events } = await answered([done(item), completed()]);
    expect(events[1]).toEqual({ type: 'tool_call_delta', key: '0', json: '{"x":1}' });
  });

  test('content that arrives only with the finished item is not lost', async () => {
    const call = { type: 'function_call', call_id: 'a', name: 'Read', arguments: '{"x":1}' };
    const message = { type: 'message', content: [{ type: 'output_text', text: 'hey' }] };
    const reasoning = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }] };
    expect(
      (await answered([done(reasoning, 0), done(message, 1), done(call, 2), completed()])).events,
    ).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'hey' },
      { type: 'tool_call_start', key: '0', id: 'a', name: 'Read' },
      { type: 'tool_call_delta', key: '0', json: '{"x":1}' },
      { type: 'tool_call_end', key: '0' },
      stop('tool_calls'),
    ]);
  });

  test('thinking is closed by its signature; without text it is redacted', async () => {
    const summary = { type: 'response.reasoning_summary_text.delta', output_index: 0 };
    const part = { type: 'response.reasoning_summary_part.added', output_index: 0 };
    const item = { type: 'reasoning', id: 'rs_1', encrypted_content: 'XYZ', summary: [] };
    const { events } = await answered([
      part,
      { ...summary, delta: 'one' },
      part,
      { ...summary, delta: 'two' },
      done(item, 0),
      done({ ...item, id: 'rs_2' }, 1),
      completed(),
    ]);
    expect(events).toEqual([
      { type: 'thinking', text: 'one' },
      { type: 'thinking', text: '\n\n' },
      { type: 'thinking', text: 'two' },
      { type: 'thinking_signature', signature: '{"id":"rs_1","encrypted_content":"XYZ"}' },
      { type: 'thinking_signature', signature: '{"id":"rs_2","encrypted_content":"XYZ"}', redacted: true },
      stop('end'),
    ]);
  });

  test.each([
    ['max_output_tokens', 'max_tokens'],
    ['content_filter', 'refusal', { refusal: { category: 'content_filter' } }],
  ] as [string, string, object?][])('incomplete because of %s is %s', async (reason, expected, more = {}) => {
    const incomplete = { type: 'response.incomplete', response: { incomplete_details: { reason } } };
    expect((await answered([said('he'), incomplete])).events.at(-1)).toEqual({ ...stop(expected), ...more });
  });

  test('a refusal is emitted and marked', async () => {
    const refusal = { type: 'response.refusal.delta', output_index: 0, delta: 'No.' };
    expect((await answered([refusal, completed()])).events).toEqual([
      { type: 'text', text: 'No.' },
      stop('refusal'),
    ]);
  });
});

describe('[V01] over a real connection', () => {
  test('the request reaches the server with its key', async () => {
    const server = await loopback((response) => sse(response, [completed()]));
    await play(responses(server.url), hello());
    expect(server.requests[0]).toMatchObject({
      path: '/v1/responses',
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: 'm', store: false, stream: true },
    });
  });

  test('an account without summaries is retried without them, and they stay off', async () => {
    const message = 'Your organization must be verified to generate reasoning summaries.';
    const server = await loopback((response, { body }) => {
      if ((body.reasoning as { summary?: string }).summary)
        fails(response, 400, { body: { error: { message } } });
      else sse(response, [said('hey'), completed()]);
    });
    const provider = responses(server.url, modelInfo({ thinking: true }));
    expect(await play(provider, hello())).toEqual({ events: [{ type: 'text', text: 'hey' }, stop('end')] });
    expect(server.requests).toHaveLength(2);
    await play(provider, hello());
    expect(server.requests).toHaveLength(3);
  });
});

test('[N11] thinking that the server cannot verify is left out of a retry', async () => {
  const message = 'The encrypted content for item rs_1 could not be verified.';
  const server = await loopback((response, { body }) => {
    if (JSON.stringify(body).includes('encrypted_content":'))
      fails(response, 400, { body: { error: { message } } });
    else sse(response, [said('hey'), completed()]);
  });
  const thought = {
    type: 'thinking' as const,
    text: 'hm',
    signature: '{"id":"rs_1","encrypted_content":"X"}',
  };
  const messages: Message[] = [
    {
      role: 'assistant',
      content: [thought, { type: 'text', text: 'ok' }],
      provider: 'openai',
      model: 'm',
      stopReason: 'end',
      timestamp: '2026-01-01T00:00:00Z',
    },
  ];

  expect(await play(responses(server.url), hello({ messages }))).toEqual({
    events: [{ type: 'text', text: 'hey' }, stop('end')],
  });
  expect(server.requests[1]?.body).toMatchObject({ input: [{ role: 'assistant', content: 'ok' }] });
});

describe('[N11] failures', () => {
  async function fault(answer: Parameters<typeof loopback>[0]) {
    const server = await loopback(answer);
    const { events, error } = await play(responses(server.url), hello());
    expect(error).toBeInstanceOf(ProviderError);
    expect(server.requests).toHaveLength(1);
    const { kind, message } = error as ProviderError;
    expect(message).not.toContain(KEY);
    return { events: events.length, kind, message };
  }

  test.each([
    [
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'oops' } } },
      'server_error',
    ],
    [
      { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'slow' } } },
      'rate_limit',
    ],
    [
      { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'no' } } },
      'bad_request',
    ],
    [{ type: 'error', code: 'context_length_exceeded', message: 'too long' }, 'overflow'],
    [{ type: 'error', error: { type: 'invalid_request_error', message: 'bad' } }, 'bad_request'],
  ])('%j is %s', async (frame, kind) => {
    expect(await fault((r) => sse(r, [frame]))).toMatchObject({ events: 0, kind });
  });

  test('an error response carries the vendor’s message', async () => {
    const body = { error: { message: `Incorrect API key provided: ${KEY}` } };
    expect(await fault((r) => fails(r, 401, { body }))).toEqual({
      events: 0,
      kind: 'auth',
      message: 'Incorrect API key provided: [redacted]',
    });
  });

  test('a stream without its final event is `cut`, or a timeout if nothing was received', async () => {
    expect(await fault((r) => sse(r, [said('he')]))).toMatchObject({ events: 1, kind: 'cut' });
    expect(await fault((r) => sse(r, [{ type: 'response.created' }]))).toMatchObject({ kind: 'timeout' });
  });

  test('a broken connection during the reply is `cut`', async () => {
    const broken = await fault(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(said('he'))}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      response.destroy();
    });
    expect(broken).toMatchObject({ events: 1, kind: 'cut' });
  });

  test('garbage is not the protocol', async () => {
    expect(await fault((r) => sse(r, ['{oops']))).toMatchObject({ kind: 'protocol' });
    expect(
      await fault((r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in</p>')),
    ).toMatchObject({ kind: 'protocol', message: expect.stringContaining('Log in') });
  });

  test('connection refused is a network error', async () => {
    expect((await play(responses(await deadUrl()), hello())).error).toMatchObject({ kind: 'network' });
  });

  test('an abort throws its reason', async () => {
    const reason = new Error('enough');
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(said('he'))}\n\n`);
    });
    const { events, error } = await playUntilBegun(responses(server.url), hello(), reason);
    expect(events).toEqual([{ type: 'text', text: 'he' }]);
    expect(error).toBe(reason);
  });
});
