import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { seal } from '../pieces.ts';
import {
  both,
  but,
  calls,
  fails,
  failsMidway,
  keepAlive,
  type Step,
  says,
  shreds,
  thinks,
} from '../script.ts';
import { startModelServer } from '../server.ts';

const question = {
  model: 'gpt-5',
  input: 'hi',
  store: false,
  include: ['reasoning.encrypted_content' as const],
};

async function start(script: Step[]) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-test', maxRetries: 0 });
  return { server, client };
}

async function eventsOf(client: OpenAI) {
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of await client.responses.create({ ...question, stream: true })) events.push(event);
  return events;
}

describe('the Responses protocol, read by its own SDK', () => {
  test('the SDK builds reasoning, text and calls from the events', async () => {
    const { client } = await start([
      thinks(
        'two files',
        both('Looking, 世界 👋🏽.', ['Read', { file_path: 'a.ts' }], ['Grep', { pattern: 'x' }]),
      ),
    ]);
    const response = await client.responses.stream(question).finalResponse();

    expect(response.status).toBe('completed');
    expect(response.output).toMatchObject([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'two files' }],
        encrypted_content: seal('two files'),
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking, 世界 👋🏽.' }] },
      { type: 'function_call', name: 'Read', arguments: '{"file_path":"a.ts"}' },
      { type: 'function_call', name: 'Grep', arguments: '{"pattern":"x"}' },
    ]);
  });

  test('deltas join to the content of their done events, and events are numbered', async () => {
    const { client } = await start([
      but(
        thinks('a longer thought', both('a longer text', ['A', { a: 'aaaaaaaa' }], ['B', { b: 'bbbbbbbb' }])),
        { interleave: true },
      ),
    ]);
    const events = await eventsOf(client);
    const join = (type: string, index: number) =>
      events
        .map((event) =>
          event.type === type && 'delta' in event && 'output_index' in event && event.output_index === index
            ? event.delta
            : '',
        )
        .join('');

    expect(join('response.reasoning_summary_text.delta', 0)).toBe('a longer thought');
    expect(join('response.output_text.delta', 1)).toBe('a longer text');
    expect(join('response.function_call_arguments.delta', 2)).toBe('{"a":"aaaaaaaa"}');
    expect(join('response.function_call_arguments.delta', 3)).toBe('{"b":"bbbbbbbb"}');
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_event, i) => i));
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['response.created', 'response.completed']);
  });

  test('usage, a truncated answer and a refusal are reported', async () => {
    const usage = {
      inputTokens: 7,
      outputTokens: 11,
      cacheReadTokens: 5,
      cacheWriteTokens: 2,
      reasoningTokens: 3,
    };
    const { client } = await start([
      says('cut', { usage, stop: 'max_tokens' }),
      says('I cannot', { stop: 'refusal' }),
    ]);
    const last = (await eventsOf(client)).at(-1);

    expect(last).toMatchObject({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        usage: {
          input_tokens: 14,
          input_tokens_details: { cached_tokens: 5, cache_write_tokens: 2 },
          output_tokens: 11,
          output_tokens_details: { reasoning_tokens: 3 },
          total_tokens: 25,
        },
      },
    });
    expect((await client.responses.create(question)).output).toMatchObject([
      { content: [{ type: 'refusal', refusal: 'I cannot' }] },
    ]);
  });

  test('quirks of calls are visible on the wire', async () => {
    const { client } = await start([
      calls(
        ['A', {}, { noArguments: true }],
        ['B', {}, { rawArguments: '{"a": 1,', id: null }],
        ['C', { x: 1 }, { objectArguments: true, index: 9 }],
      ),
    ]);
    const events = await eventsOf(client);
    const done = events.flatMap((event) => (event.type === 'response.output_item.done' ? [event] : []));

    expect(done).toMatchObject([
      { output_index: 0, item: { name: 'A', arguments: '' } },
      { output_index: 1, item: { name: 'B', arguments: '{"a": 1,' } },
      { output_index: 9, item: { name: 'C', arguments: { x: 1 } } },
    ]);
    expect(done[1]?.item).not.toHaveProperty('call_id');
  });

  test('comments, single units and split bytes change nothing', async () => {
    const text = 'naïve 🧪 test';
    const { client } = await start([keepAlive(says(text)), shreds(says(text))]);
    expect((await client.responses.stream(question).finalResponse()).output_text).toBe(text);
    expect((await client.responses.stream(question).finalResponse()).output_text).toBe(text);
  });

  test('errors have the vendor format: before the stream, as a failed response, as a bare event', async () => {
    const { client } = await start([
      fails(401, { message: 'Incorrect API key provided' }),
      failsMidway(says('half'), { after: 4, message: 'it broke' }),
      failsMidway(says('half'), { after: 4, message: 'it broke', type: 'error' }),
    ]);
    await expect(eventsOf(client)).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect((await eventsOf(client)).at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error', message: 'it broke' } },
    });
    expect((await eventsOf(client)).at(-1)).toMatchObject({
      type: 'error',
      code: 'server_error',
      message: 'it broke',
    });
  });

  test('what a client sends back is seen in vendor-neutral form', async () => {
    const { client, server } = await start([
      thinks('hm', calls(['Read', { a: 1 }, { id: 'call_1' }])),
      says('done'),
    ]);
    const first = await client.responses.create(question);
    await client.responses.create({
      ...question,
      instructions: 'Be brief.',
      tools: [
        { type: 'function', name: 'Read', parameters: { type: 'object', properties: {} }, strict: false },
      ],
      input: [
        { role: 'user', content: 'hi' },
        ...(first.output as OpenAI.Responses.ResponseInputItem[]),
        { type: 'function_call_output', call_id: 'call_1', output: 'text' },
      ],
    });

    expect(server.refusals).toEqual([]);
    const { system, tools, messages } = server.requests[1] ?? {};
    expect({ system, tools, messages }).toEqual({
      system: 'Be brief.',
      tools: ['Read'],
      messages: [
        { role: 'user', text: 'hi', calls: [], results: [] },
        {
          role: 'assistant',
          text: '',
          calls: [{ id: 'call_1', name: 'Read', input: { a: 1 } }],
          results: [],
          signatures: [seal('hm')],
        },
        { role: 'tool', text: '', calls: [], results: [{ callId: 'call_1', text: 'text' }] },
      ],
    });
  });
});
