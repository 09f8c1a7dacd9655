import { describe, expect, test } from 'vitest';
import { fails, hello, loopback, modelInfo, play, sse } from '../../../test/support/loopback.ts';
import type { AssistantMessage, Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import { findPreset } from '../presets.ts';
import { createOpenAIChat } from './chat.ts';
import { collectDetails, type Detail, refusesThoughts } from './chat-thoughts.ts';
import { type ChatQuirks, toWire } from './chat-wire.ts';

const timestamp = '2026-01-01T00:00:00Z';
const thought = { type: 'thinking' as const, text: 'First look.' };
const text = { type: 'text' as const, text: 'Hm.' };
const call = { type: 'tool_call' as const, id: 'a', name: 'Read', input: {} };
const tools = [{ name: 'Read', description: '', parameters: { type: 'object' } }];
const result: Message = { role: 'tool', callId: 'a', name: 'Read', success: true, content: [], timestamp };

function assistant(
  content: AssistantMessage['content'],
  from: Partial<Pick<AssistantMessage, 'provider' | 'model'>> = {},
): AssistantMessage {
  return { role: 'assistant', content, provider: 'v', model: 'm', stopReason: 'end', timestamp, ...from };
}

function wired(messages: Message[], quirks: ChatQuirks, extra: Partial<CompletionRequest> = { tools }) {
  const request = hello({ model: 'm', system: '', messages, ...extra });
  return toWire(request, { name: 'v', baseUrl: '', infoOf: () => modelInfo(), quirks }).messages;
}

const signed = (details: object[]) => ({ ...thought, signature: JSON.stringify(details) });
const details = [
  { type: 'reasoning.text', text: 'First look.', signature: 'sig', format: 'anthropic-claude-v1', index: 0 },
  { type: 'reasoning.encrypted', data: 'abc', id: 'rs_1', index: 1 },
];

describe('thinking goes back in the form that the vendor takes', () => {
  const turn = assistant([thought, text, call]);

  test.each<[ChatQuirks['thoughtsBackAs'], object]>([
    [undefined, { content: 'Hm.' }],
    ['reasoning_content', { content: 'Hm.', reasoning_content: 'First look.' }],
    ['reasoning', { content: 'Hm.', reasoning: 'First look.' }],
    ['both', { content: 'Hm.', reasoning_content: 'First look.', reasoning: 'First look.' }],
    ['reasoning_details', { content: 'Hm.', reasoning: 'First look.' }],
    [
      'chunks',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'First look.' }] },
          { type: 'text', text: 'Hm.' },
        ],
      },
    ],
  ])('%s', (thoughtsBackAs, fields) => {
    const [message] = wired([turn, result], thoughtsBackAs ? { thoughtsBackAs } : {});
    const { tool_calls: _, role, ...rest } = message as unknown as Record<string, unknown>;
    expect([role, rest]).toEqual(['assistant', fields]);
    // What others thought stays away.
    const [foreign] = wired(
      [assistant(turn.content, { provider: 'other' }), result],
      thoughtsBackAs ? { thoughtsBackAs } : {},
    );
    expect(JSON.stringify(foreign)).not.toContain('First look.');
  });

  test('signed details go back as they are, to the model that made them', () => {
    const quirks: ChatQuirks = { thoughtsBackAs: 'reasoning_details' };
    const [message] = wired([assistant([signed(details), text, call]), result], quirks);
    expect(message).toMatchObject({ reasoning_details: details });
    expect(message).not.toHaveProperty('reasoning');
    const [other] = wired([assistant([signed(details), call], { model: 'other' }), result], quirks);
    expect(other).toMatchObject({ reasoning: 'First look.' });
    expect(other).not.toHaveProperty('reasoning_details');
  });

  test('chunks go back with their signatures, to the model that made them', () => {
    const quirks: ChatQuirks = { thoughtsBackAs: 'chunks' };
    const thoughts = [{ ...thought, signature: 's1' }, { ...thought, text: 'Second look.' }, text, call];
    const chunks = (signature?: string) => [
      {
        type: 'thinking',
        thinking: [{ type: 'text', text: 'First look.' }],
        ...(signature !== undefined && { signature }),
      },
      { type: 'thinking', thinking: [{ type: 'text', text: 'Second look.' }] },
      { type: 'text', text: 'Hm.' },
    ];
    expect(wired([assistant(thoughts), result], quirks)[0]?.content).toEqual(chunks('s1'));
    expect(wired([assistant(thoughts, { model: 'other' }), result], quirks)[0]?.content).toEqual(chunks());
  });

  test('a vendor that requires thinking gets an empty one where there is none', () => {
    const foreign = [
      assistant([text], { provider: 'other' }),
      assistant([call], { provider: 'other' }),
      result,
    ];
    const all: ChatQuirks = { thoughtsBackAs: 'reasoning_content', thoughtsRequired: 'all' };
    const calls: ChatQuirks = { thoughtsBackAs: 'reasoning_content', thoughtsRequired: 'calls' };
    const empty = (messages: object[]) => messages.map((message) => 'reasoning_content' in message);
    expect(empty(wired(foreign, all))).toEqual([true, true, false]);
    expect(empty(wired([foreign[0] as Message], all, {}))).toEqual([false]);
    expect(empty(wired(foreign, calls))).toEqual([false, true, false]);
    expect(empty(wired(foreign, { thoughtsBackAs: 'both' }))).toEqual([false, false, false]);
  });
});

test.each([
  ['deepseek', 'reasoning_content', 'all'],
  ['moonshot', 'reasoning_content', 'calls'],
  ['groq', 'reasoning', undefined],
  ['together', 'both', undefined],
  ['fireworks', 'reasoning_content', undefined],
  ['openrouter', 'reasoning_details', undefined],
  ['mistral', 'chunks', undefined],
  ['llamacpp', 'reasoning_content', undefined],
  ['vllm', 'both', undefined],
  ['lmstudio', 'both', undefined],
  ['local', 'both', undefined],
  ['openai-chat', undefined, undefined],
  ['azure', undefined, undefined],
])('%s takes thinking as %s, required: %s', (name, thoughtsBackAs, thoughtsRequired) => {
  const { thoughtsBackAs: back, thoughtsRequired: required } = findPreset(name)?.quirks ?? {};
  expect([back, required]).toEqual([thoughtsBackAs, thoughtsRequired]);
});

test('fragments of details are joined by type and index, and nothing else changes', () => {
  const joined: Detail[] = [];
  for (const frame of [
    [{ type: 'reasoning.text', text: 'First ', index: 0, format: 'anthropic-claude-v1' }],
    [{ type: 'reasoning.text', text: 'look.', index: 0 }],
    [{ type: 'reasoning.text', signature: 'sig', text: null, index: 0 }],
    [{ type: 'reasoning.text', text: 'Then ', index: 1 }],
    [
      { type: 'reasoning.encrypted', data: 'a', index: 2 },
      { type: 'reasoning.encrypted', data: 'b', index: 2 },
    ],
    null,
    'noise',
    [{ type: 'reasoning.summary', summary: 'so', index: 3 }],
    [{ type: 'reasoning.summary', summary: ' far', index: 3 }],
  ])
    collectDetails(joined, frame);
  expect(joined).toEqual([
    {
      type: 'reasoning.text',
      text: 'First look.',
      index: 0,
      format: 'anthropic-claude-v1',
      signature: 'sig',
    },
    { type: 'reasoning.text', text: 'Then ', index: 1 },
    { type: 'reasoning.encrypted', data: 'a', index: 2 },
    { type: 'reasoning.encrypted', data: 'b', index: 2 },
    { type: 'reasoning.summary', summary: 'so far', index: 3 },
  ]);
});

const delta = (fields: object) => ({ choices: [{ delta: fields }] });
const finish = { choices: [{ delta: {}, finish_reason: 'stop' }] };

test('details of a stream come back unmodified and in order in the next request', async () => {
  const server = await loopback((response) =>
    sse(response, [
      delta({ reasoning: 'First ', reasoning_details: [{ ...details[0], text: 'First ', signature: null }] }),
      delta({ reasoning: 'look.', reasoning_details: [{ type: 'reasoning.text', text: 'look.', index: 0 }] }),
      delta({ reasoning_details: [{ type: 'reasoning.text', signature: 'sig', index: 0 }] }),
      delta({ content: 'Hm.' }),
      delta({
        reasoning_details: [details[1]],
        tool_calls: [{ index: 0, id: 'a', function: { name: 'Read', arguments: '{}' } }],
      }),
      finish,
    ]),
  );
  const quirks: ChatQuirks = { thoughtsBackAs: 'reasoning_details' };
  const provider = createOpenAIChat({ name: 'v', baseUrl: server.url, infoOf: () => modelInfo(), quirks });
  const first = hello({ model: 'm', tools });
  const { events } = await play(provider, first);
  const signatures = events.flatMap((event) =>
    event.type === 'thinking_signature' ? [event.signature] : [],
  );
  expect(signatures.map((signature) => JSON.parse(signature))).toEqual([[details[0]], [details[1]]]);
  expect(events.map(({ type }) => type)).toEqual([
    'thinking',
    'thinking',
    'thinking_signature',
    'text',
    'thinking_signature',
    'tool_call_start',
    'tool_call_delta',
    'tool_call_end',
    'stop',
  ]);

  const parts = signatures.map((signature) => ({ ...thought, signature }));
  await play(provider, {
    ...first,
    messages: [...first.messages, assistant([...parts, text, call]), result],
  });
  const body = server.requests[1]?.body as { messages: { reasoning_details?: unknown }[] } | undefined;
  expect(body?.messages.map((message) => message.reasoning_details).filter(Boolean)).toEqual([details]);
});

test('details alone are shown as thinking', async () => {
  const server = await loopback((response) =>
    sse(response, [delta({ reasoning_details: [details[0]] }), delta({ content: 'ok' }), finish]),
  );
  const provider = createOpenAIChat({ name: 'v', baseUrl: server.url, infoOf: () => modelInfo() });
  const { events } = await play(provider, hello());
  expect(events.slice(0, 3)).toMatchObject([
    { type: 'thinking', text: 'First look.' },
    { type: 'thinking_signature' },
    { type: 'text', text: 'ok' },
  ]);
});

describe('a server that rejects thinking', () => {
  test.each([
    [400, "messages.1: property 'reasoning_content' is unsupported"],
    [400, 'Unrecognized field "reasoning" in messages[2]'],
    [
      500,
      'Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis …',
    ],
    [422, 'Extra inputs are not permitted: body.messages.1.reasoning_details'],
  ])('%s %s: gets none from then on', async (status, message) => {
    const server = await loopback((response, { body }) => {
      if (JSON.stringify(body).includes('First look.'))
        fails(response, status, { body: { error: { message } } });
      else sse(response, [delta({ content: 'ok' }), finish]);
    });
    const quirks: ChatQuirks = { thoughtsBackAs: 'both' };
    const provider = createOpenAIChat({ name: 'v', baseUrl: server.url, infoOf: () => modelInfo(), quirks });
    const request = hello({ model: 'm', messages: [assistant([thought, text])] });
    expect((await play(provider, request)).error).toBeUndefined();
    await play(provider, request);
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    'The reasoning_content in the thinking mode must be passed back to the API.',
    "Unsupported value: 'reasoning_effort' does not support 'max'.",
    'thinking is not supported by this model',
  ])('%s: is another error', (message) => {
    expect(refusesThoughts(message)).toBe(false);
  });
});
