import { ApiError, type Content, type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sign, signCall } from '../pieces.ts';
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

async function start(script: Step[]) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const client = new GoogleGenAI({ apiKey: 'AIza-test', httpOptions: { baseUrl: server.url } });
  return { server, client };
}

async function collect(client: GoogleGenAI, model = 'gemini-2.5-flash', contents: string | Content[] = 'hi') {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await client.models.generateContentStream({ model, contents }))
    chunks.push(chunk);
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  return {
    chunks,
    parts,
    text: parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''),
    thought: parts.map((part) => (part.thought ? (part.text ?? '') : '')).join(''),
    calls: parts.flatMap((part) => (part.functionCall ? [part] : [])),
    finish: chunks.at(-1)?.candidates?.[0]?.finishReason,
    usage: chunks.at(-1)?.usageMetadata,
  };
}

describe('the Gemini protocol, read by its own SDK', () => {
  test('thoughts and text arrive in pieces, with the usage at the end', async () => {
    const usage = { inputTokens: 7, outputTokens: 11, cacheReadTokens: 5, reasoningTokens: 3 };
    const { client } = await start([but(thinks('a longer thought', says('Grüße, 世界 👋🏽!')), { usage })]);
    const seen = await collect(client);

    expect(seen).toMatchObject({ text: 'Grüße, 世界 👋🏽!', thought: 'a longer thought', finish: 'STOP' });
    expect(seen.chunks.length).toBeGreaterThan(5);
    expect(seen.parts.map((part) => part.thoughtSignature).filter(Boolean)).toEqual([
      sign('a longer thought'),
    ]);
    expect(seen.usage).toEqual({
      promptTokenCount: 12,
      candidatesTokenCount: 8,
      totalTokenCount: 23,
      cachedContentTokenCount: 5,
      thoughtsTokenCount: 3,
    });
  });

  test('models before the third generation send calls without ids and signatures', async () => {
    const { client } = await start([
      both('Looking.', ['Read', { file_path: 'a.ts' }], ['Grep', {}, { id: 'mine', noArguments: true }]),
    ]);
    const seen = await collect(client);

    expect(seen.text).toBe('Looking.');
    expect(seen.calls).toEqual([
      { functionCall: { name: 'Read', args: { file_path: 'a.ts' } } },
      { functionCall: { id: 'mine', name: 'Grep' } },
    ]);
  });

  test('later models send ids and sign the first call', async () => {
    const { client } = await start([calls(['Read', { a: 1 }], ['Grep', { b: 2 }])]);
    const seen = await collect(client, 'gemini-3-pro');

    expect(seen.calls).toEqual([
      {
        functionCall: { id: expect.any(String), name: 'Read', args: { a: 1 } },
        thoughtSignature: signCall('Read', { a: 1 }),
      },
      { functionCall: { id: expect.any(String), name: 'Grep', args: { b: 2 } } },
    ]);
  });

  test('a non-streamed reply has the same content', async () => {
    const { client } = await start([thinks('a longer thought', both('a longer text', ['Read', { a: 1 }]))]);
    const response = await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hi' });

    expect(response.candidates?.[0]?.content?.parts).toEqual([
      { text: 'a longer thought', thought: true },
      { text: 'a longer text' },
      { functionCall: { name: 'Read', args: { a: 1 } } },
    ]);
  });

  test('comments, single units and split bytes change nothing', async () => {
    const text = 'naïve 🧪 test';
    const { client } = await start([keepAlive(says(text)), shreds(says(text))]);
    expect((await collect(client)).text).toBe(text);
    expect((await collect(client)).text).toBe(text);
  });

  test('errors have the vendor format, before the stream and inside it', async () => {
    const { client } = await start([
      fails(429, { retryAfter: 2, message: 'quota per minute' }),
      failsMidway(says('half an answer'), { after: 1, message: 'overloaded' }),
    ]);
    const limited = await collect(client).catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(ApiError);
    expect(JSON.parse((limited as ApiError).message)).toEqual({
      error: {
        code: 429,
        message: 'quota per minute',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '2s' }],
      },
    });
    await expect(collect(client)).rejects.toMatchObject({ name: 'ApiError', status: 503 });
  });

  test('tokens are counted', async () => {
    const { client } = await start([]);
    const counted = await client.models.countTokens({ model: 'gemini-2.5-flash', contents: 'hi' });
    expect(counted.totalTokens).toBeGreaterThan(5);
  });

  test('results without ids are matched to their calls by name and order', async () => {
    const { client, server } = await start([says('done')]);
    await collect(client, 'gemini-2.5-flash', [
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'Read', args: { a: 1 } } },
          { functionCall: { name: 'Read', args: { a: 2 } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'Read', response: { output: 'one' } } },
          { functionResponse: { name: 'Read', response: { error: 'two' } } },
        ],
      },
    ]);
    expect(server.refusals).toEqual([]);
    expect(server.requests[0]?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        text: '',
        calls: [
          { id: 'call#0', name: 'Read', input: { a: 1 } },
          { id: 'call#1', name: 'Read', input: { a: 2 } },
        ],
        results: [],
      },
      {
        role: 'tool',
        text: '',
        calls: [],
        results: [
          { callId: 'call#0', text: 'one', isError: false },
          { callId: 'call#1', text: 'two', isError: true },
        ],
      },
    ]);
  });
});
