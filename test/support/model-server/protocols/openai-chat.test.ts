import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
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
import { type ModelServerOptions, startModelServer } from '../server.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const streamed = {
  model: 'gpt-4.1',
  messages,
  stream: true as const,
  stream_options: { include_usage: true },
};

async function start(script: Step[], options?: ModelServerOptions) {
  const server = await startModelServer(script, options);
  onTestFinished(() => server.close());
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'sk-test', maxRetries: 0 });
  return { server, client };
}

async function collect(client: OpenAI) {
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await client.chat.completions.create(streamed)) chunks.push(chunk);
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta));
  return {
    chunks,
    text: deltas.map((delta) => delta.content ?? '').join(''),
    // The reasoning field is an extension that is missing in the SDK's types.
    reasoning: deltas
      .map((delta) => (delta as { reasoning_content?: string }).reasoning_content ?? '')
      .join(''),
    calls: deltas.flatMap((delta) => delta.tool_calls ?? []),
    finish: chunks
      .flatMap((chunk) => chunk.choices.map((choice) => choice.finish_reason))
      .findLast((reason) => reason !== null),
    usage: chunks.at(-1)?.usage,
  };
}

describe('the Chat Completions protocol, read by its own SDK', () => {
  test('text and reasoning arrive in pieces, and the usage in a last chunk without choices', async () => {
    const usage = {
      inputTokens: 7,
      outputTokens: 11,
      cacheReadTokens: 5,
      cacheWriteTokens: 0,
      reasoningTokens: 3,
    };
    const { client, server } = await start([
      but(thinks('let me think about it', says('Grüße, 世界 👋🏽!')), { usage }),
    ]);
    const seen = await collect(client);

    expect(seen).toMatchObject({
      text: 'Grüße, 世界 👋🏽!',
      reasoning: 'let me think about it',
      finish: 'stop',
    });
    expect(seen.chunks.length).toBeGreaterThan(8);
    expect(seen.chunks.at(-1)?.choices).toEqual([]);
    expect(seen.usage).toMatchObject({
      prompt_tokens: 12,
      completion_tokens: 11,
      total_tokens: 23,
      prompt_tokens_details: { cached_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 3 },
    });
    expect(server.requests[0]?.messages).toEqual([{ role: 'user', text: 'hi', calls: [], results: [] }]);
  });

  test('the SDK assembles calls from their pieces, even if those interleave', async () => {
    const words = both(
      'Looking.',
      ['Read', { file_path: 'a.ts' }],
      ['Grep', { pattern: 'a long pattern to split' }],
    );
    const { client } = await start([words, but(words, { interleave: true })]);
    for (const _turn of [1, 2]) {
      const completion = await client.chat.completions.stream(streamed).finalChatCompletion();
      expect(completion.choices[0]?.finish_reason).toBe('tool_calls');
      expect(completion.choices[0]?.message).toMatchObject({
        content: 'Looking.',
        tool_calls: [
          { type: 'function', function: { name: 'Read', arguments: '{"file_path":"a.ts"}' } },
          {
            type: 'function',
            function: { name: 'Grep', arguments: '{"pattern":"a long pattern to split"}' },
          },
        ],
      });
    }
  });

  test('interleaved pieces really alternate', async () => {
    const { client } = await start([
      but(calls(['A', { x: 'aaaaaaaaaa' }], ['B', { x: 'bbbbbbbbbb' }]), { interleave: true }),
    ]);
    const indexes = (await collect(client)).calls.map((call) => call.index);
    expect(indexes.slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1]);
  });

  test('every quirk of a call is visible on the wire', async () => {
    const { client } = await start([
      calls(
        ['A', {}, { noArguments: true }],
        ['B', {}, { rawArguments: '{"a": 1,' }],
        ['C', {}, { id: null, index: 7 }],
        ['D', { x: 1 }, { objectArguments: true, id: 'same' }],
        ['E', {}, { id: 'same' }],
      ),
    ]);
    const seen = (await collect(client)).calls;
    const of = (index: number) => seen.filter((call) => call.index === index);

    expect(of(0).map((call) => call.function?.arguments)).toEqual(['']);
    expect(
      of(1)
        .map((call) => call.function?.arguments)
        .join(''),
    ).toBe('{"a": 1,');
    expect(of(7)[0]).toEqual({ index: 7, type: 'function', function: { name: 'C', arguments: '' } });
    expect(of(3)).toEqual([
      { index: 3, id: 'same', type: 'function', function: { name: 'D', arguments: { x: 1 } } },
    ]);
    expect(of(4)[0]?.id).toBe('same');
  });

  test('a non-streamed reply has the same content', async () => {
    const { client } = await start([thinks('hm', calls(['Read', { a: 1 }]))]);
    const completion = await client.chat.completions.create({ model: 'gpt-4.1', messages });

    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        reasoning_content: 'hm',
        tool_calls: [{ type: 'function', function: { name: 'Read', arguments: '{"a":1}' } }],
      },
    });
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('comments, single units and split bytes change nothing', async () => {
    const text = 'naïve 🧪 test';
    const { client } = await start([keepAlive(says(text)), shreds(says(text))]);
    expect((await collect(client)).text).toBe(text);
    expect((await collect(client)).text).toBe(text);
  });

  test('errors have the vendor format, before the stream and inside it', async () => {
    const { client } = await start([
      fails(429, { retryAfter: 2, message: 'slow down' }),
      failsMidway(says('half an answer'), { after: 3, message: 'it broke' }),
    ]);
    const limited = await collect(client).catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
    expect(limited).toMatchObject({ status: 429, code: 'rate_limit_exceeded', message: '429 slow down' });

    const midway = await collect(client).catch((error: unknown) => error);
    expect(midway).toMatchObject({ error: { message: 'it broke', type: 'server_error' } });
  });

  test('models are listed, and unknown ones refused', async () => {
    const { client } = await start([], { models: ['local-model'] });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['local-model']);
    await expect(collect(client)).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });
});
