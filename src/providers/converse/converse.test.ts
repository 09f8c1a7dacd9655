import { Readable } from 'node:stream';
import {
  BedrockRuntimeClient,
  ConverseStreamCommand,
  type ConverseStreamCommandInput,
} from '@aws-sdk/client-bedrock-runtime';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunk, event, exception } from '../../../test/support/cloud/event-stream.ts';
import { fails, hello, loopback, modelInfo, play } from '../../../test/support/loopback.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import { asServerEvents } from '../cloud/aws/event-stream.ts';
import { serverEvents } from '../http/server-events.ts';
import { createProvider } from '../index.ts';
import { findPreset } from '../presets.ts';
import { toWire } from './wire.ts';

const NOVA = 'us.amazon.nova-pro-v1:0';
const at = '2026-01-01T00:00:00Z';
const pixel = Buffer.from('pixels').toString('base64');
const tools = [{ name: 'fs:Read', description: 'Reads', parameters: { type: 'object', properties: {} } }];

const conversation: CompletionRequest = {
  model: NOVA,
  system: 'Be brief.',
  summary: 'Earlier.',
  tools,
  temperature: 0,
  maxTokens: 100,
  stopSequences: ['END'],
  messages: [
    {
      role: 'user',
      timestamp: at,
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', mediaType: 'image/png', data: pixel },
      ],
    },
    {
      role: 'assistant',
      timestamp: at,
      provider: 'bedrock',
      model: NOVA,
      stopReason: 'tool_calls',
      content: [
        { type: 'thinking', text: 'hm', signature: 'sig' },
        { type: 'text', text: 'reading' },
        { type: 'tool_call', id: 'call:1', name: 'fs:Read', input: { file: 'a' } },
      ],
    },
    { role: 'tool', timestamp: at, callId: 'call:1', name: 'fs:Read', success: false, content: [] },
    { role: 'user', timestamp: at, content: [{ type: 'text', text: 'and?' }] },
  ],
};

const able = (abilities: Partial<ModelInfo['abilities']> = {}): ModelInfo => ({
  ...modelInfo(),
  abilities: { tools: true, images: true, thinking: true, ...abilities },
});
const wireOf = (request: CompletionRequest, info = able()) =>
  toWire(request, { name: 'bedrock', infoOf: () => info });

/** What the vendor's own client sends for an input, and reads from a body. */
async function official(input: ConverseStreamCommandInput, reply: Buffer[] = []) {
  const sent: string[] = [];
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    requestHandler: {
      async handle(request: { body: Uint8Array }) {
        sent.push(Buffer.from(request.body).toString());
        const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
        return { response: { statusCode: 200, headers, body: Readable.from(reply) } };
      },
    } as never,
  });
  const { stream = [] } = await client.send(new ConverseStreamCommand(input));
  const events: unknown[] = [];
  for await (const one of stream) events.push(one);
  return { body: JSON.parse(sent[0] ?? 'null'), events };
}

const mark = { cachePoint: { type: 'default' as const } };

describe('[V03] a request to Bedrock', () => {
  test('is what the official client sends for the same conversation', async () => {
    const { body } = await official({
      modelId: NOVA,
      system: [
        { text: 'Be brief.' },
        mark,
        {
          text: 'Previous context summary:\n## Earlier conversation summary (compressed)\n\nEarlier.',
        },
        mark,
      ],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'look' },
            { image: { format: 'png', source: { bytes: Buffer.from('pixels') } } },
            mark,
          ],
        },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
            { text: 'reading' },
            { toolUse: { toolUseId: 'call_1', name: 'fs__Read', input: { file: 'a' } } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              toolResult: {
                toolUseId: 'call_1',
                content: [{ text: 'The call failed without a message.' }],
                status: 'error',
              },
            },
            { text: 'and?' },
            mark,
          ],
        },
      ],
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'fs__Read',
              description: 'Reads',
              inputSchema: { json: { type: 'object', properties: {} } },
            },
          },
        ],
      },
      inferenceConfig: { maxTokens: 100, temperature: 0, stopSequences: ['END'] },
    });
    expect(JSON.parse(JSON.stringify(wireOf(conversation)))).toEqual(body);
  });

  test('has no cache marks for a model that rejects them, and no images for one that cannot see', () => {
    const wire = JSON.stringify(
      wireOf({ ...conversation, model: 'meta.llama3-3-70b-instruct-v1:0' }, able({ images: false })),
    );
    expect(wire).not.toContain('cachePoint');
    expect(wire).not.toContain(pixel);
    expect(wire).toContain('does not support images');
  });

  test.each([
    ['openai.gpt-oss-120b-1:0', { reasoning_effort: 'high' }],
    ['us.amazon.nova-2-lite-v1:0', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }],
    ['meta.llama3-3-70b-instruct-v1:0', undefined],
  ])('has the effort where %s takes it', (model, fields) => {
    expect(wireOf({ ...conversation, model, effort: 'high' }).additionalModelRequestFields).toEqual(fields);
  });
});

const frames = [
  event('messageStart', { role: 'assistant' }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'hm' } } }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'sig' } } }),
  event('contentBlockStop', { contentBlockIndex: 0 }),
  event('contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'hé' } }),
  event('contentBlockStop', { contentBlockIndex: 1 }),
  event('contentBlockStart', {
    contentBlockIndex: 2,
    start: { toolUse: { toolUseId: 't1', name: 'fs__Read' } },
  }),
  event('contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"a":1}' } } }),
  event('contentBlockStop', { contentBlockIndex: 2 }),
  event('messageStop', { stopReason: 'tool_use' }),
  event('metadata', {
    usage: {
      inputTokens: 3,
      outputTokens: 4,
      totalTokens: 7,
      cacheReadInputTokens: 5,
      cacheWriteInputTokens: 6,
    },
    metrics: { latencyMs: 1 },
  }),
];

/** Sends these bytes in pieces as a reply of Bedrock. */
async function reply(bytes: Buffer, pieceLength = 1000) {
  const server = await loopback(async (response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    for (let i = 0; i < bytes.length; i += pieceLength) response.write(bytes.subarray(i, i + pieceLength));
    response.end();
  });
  return ask(server.url);
}

async function ask(baseUrl: string) {
  const preset = findPreset('bedrock');
  if (!preset) throw new Error('no preset');
  const options = { baseUrl, apiKey: 'bedrock-api-key-0123456789', infoOf: () => modelInfo() };
  const provider = await createProvider(preset, { ...options, cloud: { region: 'us-east-1' } });
  return play(provider, { ...hello(), model: NOVA, tools });
}

describe('[V03] a reply of Bedrock', () => {
  test('is the same whether our reader or the official one reads it', async () => {
    const { events } = await official({ modelId: NOVA, messages: [] }, frames);
    expect(events).toHaveLength(frames.length);

    const { events: said, error } = await reply(Buffer.concat(frames));
    expect(error).toBeUndefined();
    expect(said).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'thinking_signature', signature: 'sig' },
      { type: 'text', text: 'hé' },
      { type: 'tool_call_start', key: '2', id: 't1', name: 'fs:Read' },
      { type: 'tool_call_delta', key: '2', json: '{"a":1}' },
      { type: 'tool_call_end', key: '2' },
      {
        type: 'usage',
        usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5, cacheWriteTokens: 6 },
      },
      { type: 'stop', reason: 'tool_calls' },
    ]);
  });

  test.each([
    ['throttlingException', 'Too many requests', 'rate_limit'],
    ['serviceUnavailableException', 'Try later', 'overloaded'],
    ['modelStreamErrorException', 'The model failed', 'server_error'],
    ['internalServerException', 'Oops', 'server_error'],
  ])('that ends with %s is an error of its kind', async (type, message, kind) => {
    const { error } = await reply(Buffer.concat([...frames.slice(0, 5), exception(type, message)]));
    expect(error).toMatchObject({ name: 'ProviderError', kind, message });
  });

  test('that breaks off is cut', async () => {
    const { error } = await reply(Buffer.concat(frames.slice(0, 5)));
    expect(error).toMatchObject({ kind: 'cut' });
  });

  test('with a wrong checksum is not taken for text', async () => {
    const text = Buffer.concat(frames.slice(0, 5));
    text[text.indexOf('hé')] = 'H'.charCodeAt(0);
    const { events, error } = await reply(text);
    expect(events.some((said) => said.type === 'text')).toBe(false);
    expect(error).toBeDefined();
  });

  test('never shows a key that a server echoes', async () => {
    const server = await loopback((response) =>
      fails(response, 403, { body: { message: 'Bad key bedrock-api-key-0123456789' } }),
    );
    const { error } = await ask(server.url);
    expect((error as Error).message).toBe('Bad key [redacted]');
  });
});

test('property: frames arrive whole however the bytes are torn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      async (texts, cuts) => {
        const bytes = Buffer.concat(texts.map((text) => chunk(JSON.stringify({ text }))));
        async function* torn() {
          for (let i = 0, turn = 0; i < bytes.length; turn++) {
            const length = cuts[turn % cuts.length] ?? 1;
            yield bytes.subarray(i, i + length);
            i += length;
          }
        }
        const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
        const { body } = asServerEvents({ status: 200, headers, body: torn(), text: async () => '' });
        const read: string[] = [];
        for await (const { data } of serverEvents(body)) read.push(JSON.parse(data).text);
        expect(read).toEqual(texts);
      },
    ),
    { numRuns: 25 },
  );
});
