import { type ChatResponse, Ollama } from 'ollama';
import { describe, expect, onTestFinished, test } from 'vitest';
import { both, calls, fails, failsMidway, type Step, says, shreds, thinks } from '../script.ts';
import { type ModelServerOptions, startModelServer } from '../server.ts';

const question = { model: 'qwen3:8b', messages: [{ role: 'user', content: 'hi' }] };

async function start(script: Step[], options?: ModelServerOptions) {
  const server = await startModelServer(script, options);
  onTestFinished(() => server.close());
  return { server, client: new Ollama({ host: server.url }) };
}

async function collect(client: Ollama) {
  const chunks: ChatResponse[] = [];
  for await (const chunk of await client.chat({ ...question, stream: true })) chunks.push(chunk);
  return {
    chunks,
    text: chunks.map((chunk) => chunk.message.content).join(''),
    thought: chunks.map((chunk) => chunk.message.thinking ?? '').join(''),
    calls: chunks.flatMap((chunk) => chunk.message.tool_calls ?? []),
    last: chunks.at(-1),
  };
}

describe('the Ollama protocol, read by its own SDK', () => {
  test('thoughts, text and calls arrive line by line, arguments as objects', async () => {
    const usage = { inputTokens: 7, outputTokens: 11 };
    const { client, server } = await start([
      {
        ...thinks('a longer thought', both('Grüße, 世界 👋🏽!', ['Read', { a: 1 }], ['Grep', { b: [2] }])),
        usage,
      },
    ]);
    const seen = await collect(client);

    expect(seen).toMatchObject({
      text: 'Grüße, 世界 👋🏽!',
      thought: 'a longer thought',
      calls: [
        { function: { name: 'Read', arguments: { a: 1 } } },
        { function: { name: 'Grep', arguments: { b: [2] } } },
      ],
      last: { done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 11 },
    });
    expect(seen.chunks.length).toBeGreaterThan(6);
    expect(server.requests[0]).toMatchObject({
      protocol: 'ollama',
      model: 'qwen3:8b',
      messages: [{ role: 'user', text: 'hi' }],
    });
  });

  test('a non-streamed reply has the same content', async () => {
    const { client } = await start([thinks('hm', calls(['Read', { a: 1 }, { id: null }]))]);
    expect((await client.chat(question)).message).toEqual({
      role: 'assistant',
      content: '',
      thinking: 'hm',
      tool_calls: [{ function: { index: 0, name: 'Read', arguments: { a: 1 } } }],
    });
  });

  test('single units and split bytes change nothing', async () => {
    const { client } = await start([shreds(says('naïve 🧪 test'))]);
    expect((await collect(client)).text).toBe('naïve 🧪 test');
  });

  test('errors have the vendor format, before the stream and inside it', async () => {
    const { client } = await start([
      fails(500, { message: 'out of memory' }),
      failsMidway(says('half'), { after: 1, message: 'gone' }),
    ]);
    await expect(collect(client)).rejects.toMatchObject({ status_code: 500, error: 'out of memory' });
    await expect(collect(client)).rejects.toThrow('gone');
  });

  test('the server reports its models and their capabilities', async () => {
    const { client } = await start([], {
      models: ['tiny:1b'],
      capabilities: ['completion'],
      contextLength: 2048,
    });

    expect((await client.list()).models.map(({ name }) => name)).toEqual(['tiny:1b']);
    expect(await client.show({ model: 'tiny:1b' })).toMatchObject({
      capabilities: ['completion'],
      model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 2048 },
    });
    expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
    await expect(collect(client)).rejects.toMatchObject({
      status_code: 404,
      error: "model 'qwen3:8b' not found",
    });
  });
});
