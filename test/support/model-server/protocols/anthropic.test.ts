import Anthropic from '@anthropic-ai/sdk';
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
  thinksSecretly,
} from '../script.ts';
import { type ModelServerOptions, startModelServer } from '../server.ts';

const question = {
  model: 'claude-sonnet-5',
  max_tokens: 1000,
  thinking: { type: 'adaptive' as const, display: 'summarized' as const },
  messages: [{ role: 'user' as const, content: 'hi' }],
};

async function start(script: Step[], options?: ModelServerOptions) {
  const server = await startModelServer(script, options);
  onTestFinished(() => server.close());
  const client = new Anthropic({ baseURL: server.url, apiKey: 'sk-ant-test', maxRetries: 0 });
  return { server, client };
}

describe('the Anthropic protocol, read by its own SDK', () => {
  test('text arrives in several pieces that join to the scripted text', async () => {
    const { client, server } = await start([says('Grüße, 世界 👋🏽, and a longer sentence.')]);
    const pieces: string[] = [];
    const stream = client.messages.stream(question).on('text', (piece) => pieces.push(piece));
    const message = await stream.finalMessage();

    expect(pieces.length).toBeGreaterThan(3);
    expect(message.content).toMatchObject([
      { type: 'text', text: 'Grüße, 世界 👋🏽, and a longer sentence.' },
    ]);
    expect(message.stop_reason).toBe('end_turn');
    expect(server.requests).toMatchObject([
      {
        protocol: 'anthropic',
        model: 'claude-sonnet-5',
        messages: [{ role: 'user', text: 'hi', calls: [], results: [] }],
        aborted: false,
      },
    ]);
  });

  test('thinking, text and calls keep their order, signature and arguments', async () => {
    const { client } = await start([
      thinks(
        'two files',
        both('Looking.', ['Read', { file_path: 'ä.ts' }], ['Grep', { pattern: 'x', nested: { a: [1] } }]),
      ),
    ]);
    const message = await client.messages.stream(question).finalMessage();

    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'two files', signature: expect.any(String) },
      { type: 'text', text: 'Looking.' },
      { type: 'tool_use', name: 'Read', input: { file_path: 'ä.ts' } },
      { type: 'tool_use', name: 'Grep', input: { pattern: 'x', nested: { a: [1] } } },
    ]);
    expect(message.stop_reason).toBe('tool_use');
    const ids = message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    expect(new Set(ids).size).toBe(2);
  });

  test('a non-streamed reply has the same content as the stream', async () => {
    const reply = thinksSecretly(
      'hidden',
      both('ok', ['Read', { file_path: 'a' }], ['Stop', {}, { noArguments: true }]),
    );
    const { client } = await start([reply, reply]);
    const streamed = await client.messages.stream(question).finalMessage();
    const whole = await client.messages.create(question);

    expect(whole.content.map(({ type }) => type)).toEqual([
      'redacted_thinking',
      'text',
      'tool_use',
      'tool_use',
    ]);
    expect(whole.content[0]).toEqual({ type: 'redacted_thinking', data: expect.any(String) });
    const nameless = (message: Anthropic.Message) =>
      JSON.stringify(message.content).replaceAll(/"toolu_\w+"/g, '""');
    expect(nameless(whole)).toBe(nameless(streamed));
  });

  test('usage and stop reason are those of the step', async () => {
    const usage = { inputTokens: 7, outputTokens: 11, cacheReadTokens: 500, cacheWriteTokens: 30 };
    const { client } = await start([says('cut', { usage, stop: 'max_tokens' })]);
    const message = await client.messages.stream(question).finalMessage();

    expect(message.stop_reason).toBe('max_tokens');
    expect(message.usage).toMatchObject({
      input_tokens: 7,
      output_tokens: 11,
      cache_read_input_tokens: 500,
      cache_creation_input_tokens: 30,
    });
  });

  test('pings, single units and split bytes change nothing', async () => {
    const text = 'naïve 🧪 test';
    const { client } = await start([keepAlive(says(text)), shreds(thinks(text, calls(['Read', { text }])))]);

    expect((await client.messages.stream(question).finalMessage()).content).toMatchObject([{ text }]);
    expect((await client.messages.stream(question).finalMessage()).content).toMatchObject([
      { thinking: text },
      { input: { text } },
    ]);
  });

  test('errors have the vendor format, before the stream and inside it', async () => {
    const { client } = await start([
      fails(429, { retryAfter: 2, message: 'slow down' }),
      failsMidway(says('half an answer'), { after: 'content' }),
    ]);

    const limited = await client.messages.create(question).catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(Anthropic.RateLimitError);
    expect(limited).toMatchObject({
      status: 429,
      error: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
    });
    expect((limited as InstanceType<typeof Anthropic.RateLimitError>).headers.get('retry-after')).toBe('2');

    const midway = await client.messages
      .stream(question)
      .finalMessage()
      .catch((error: unknown) => error);
    expect(midway).toMatchObject({ error: { error: { type: 'overloaded_error' } } });
  });

  test('counting tokens and listing models take no step', async () => {
    const { client, server } = await start([], { models: ['claude-x'] });
    const { messages } = question;

    expect((await client.messages.countTokens({ model: 'claude-x', messages })).input_tokens).toBeGreaterThan(
      5,
    );
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['claude-x']);
    expect(server.asides.map(({ path }) => path)).toEqual(['/v1/messages/count_tokens', '/v1/models']);
    expect(server.requests).toEqual([]);
  });

  test('a conversation is seen in vendor-neutral form, including thoughts and results', async () => {
    const { client, server } = await start([
      but(thinks('hm', calls(['Read', { file_path: 'a' }, { id: 'toolu_1' }])), { usage: null }),
      says('done'),
    ]);
    const first = await client.messages.create(question);
    const content = [
      { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'no such file', is_error: true },
      { type: 'text' as const, text: 'and hurry' },
    ];
    await client.messages.create({
      ...question,
      system: 'Be brief.',
      tools: [{ name: 'Read', input_schema: { type: 'object' } }],
      messages: [
        ...question.messages,
        { role: 'assistant', content: first.content as Anthropic.ContentBlockParam[] },
        { role: 'user', content },
      ],
    });

    const { system, tools, messages } = server.requests[1] ?? {};
    expect({ system, tools, messages }).toEqual({
      system: 'Be brief.',
      tools: ['Read'],
      messages: [
        { role: 'user', text: 'hi', calls: [], results: [] },
        {
          role: 'assistant',
          text: '',
          calls: [{ id: 'toolu_1', name: 'Read', input: { file_path: 'a' } }],
          results: [],
          signatures: [expect.any(String)],
        },
        {
          role: 'tool',
          text: '',
          calls: [],
          results: [{ callId: 'toolu_1', text: 'no such file', isError: true }],
        },
        { role: 'user', text: 'and hurry', calls: [], results: [] },
      ],
    });
    expect(server.refusals).toEqual([]);
  });
});
