import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hello, modelInfo } from '../../../test/support/loopback.ts';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo } from '../../contract/provider.ts';
import type { Effort } from '../../contract/request/effort.ts';
import { summarySection } from '../summary.ts';
import { type ChatQuirks, toWire } from './chat-wire.ts';

const timestamp = '2026-01-01T00:00:00Z';
const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };

function user(...content: UserMessage['content']): UserMessage {
  return { role: 'user', content, timestamp };
}
function assistant(content: AssistantMessage['content'], provider = 'vendor'): AssistantMessage {
  return { role: 'assistant', content, provider, model: 'm', stopReason: 'tool_calls', timestamp };
}
function result(callId: string, ...content: ToolMessage['content']): ToolMessage {
  return { role: 'tool', callId, name: 'Read', success: true, content, timestamp };
}
const call = (id: string, input: unknown = { x: 1 }) => ({
  type: 'tool_call' as const,
  id,
  name: 'files:read',
  input,
});

function wire(
  extra: Partial<CompletionRequest>,
  { quirks = {}, info = modelInfo() }: { quirks?: ChatQuirks; info?: ModelInfo } = {},
) {
  return toWire(hello(extra), { name: 'vendor', baseUrl: '', infoOf: () => info, quirks });
}
const messages = (list: Message[], quirks: ChatQuirks = {}, info = modelInfo()) =>
  wire({ system: '', messages: list }, { quirks, info }).messages;

describe('[V02] a request on the wire', () => {
  test('carries only what was requested', () => {
    expect(wire({})).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    });
  });

  test("carries tools, limits and settings; the limit is capped at the model's maximum", () => {
    const parameters = { type: 'object', properties: {} };
    const asked = wire({
      tools: [{ name: 'files:read', description: 'Reads.', parameters }],
      maxTokens: 99_999,
      temperature: 0.5,
      stopSequences: ['END'],
      effort: 'high',
      cacheKey: 'session',
    });
    expect(asked).toMatchObject({
      tools: [{ type: 'function', function: { name: 'files__read', description: 'Reads.', parameters } }],
      max_tokens: 8192,
      temperature: 0.5,
      stop: ['END'],
    });
    expect(asked).not.toHaveProperty('reasoning_effort');
    expect(asked).not.toHaveProperty('prompt_cache_key');
  });

  test.each<[string, Partial<ModelInfo>, ChatQuirks, Effort, object]>([
    ['a level', {}, {}, 'low', { reasoning_effort: 'low' }],
    ['no level of a model without any', { effort: { levels: [] } }, {}, 'low', {}],
    [
      'the nearest level',
      { effort: { levels: ['low', 'high', 'max'] } },
      {},
      'medium',
      { reasoning_effort: 'low' },
    ],
    ['an object', {}, { effortAs: 'reasoning' }, 'high', { reasoning: { effort: 'high' } }],
    [
      'an object without thinking',
      { effort: { levels: ['none', 'high'] } },
      { effortAs: 'reasoning' },
      'none',
      { reasoning: { enabled: false } },
    ],
    [
      'a switch turned off',
      { effort: { levels: ['none', 'low', 'high', 'max'] } },
      { effortAs: 'thinking' },
      'none',
      { thinking: { type: 'disabled' } },
    ],
    [
      'a level besides the switch',
      { effort: { levels: ['none', 'low', 'high', 'max'] } },
      { effortAs: 'thinking' },
      'max',
      { reasoning_effort: 'max' },
    ],
    [
      'a switch turned on',
      { effort: { levels: ['none', 'high'] } },
      { effortAs: 'thinking' },
      'max',
      { thinking: { type: 'enabled' } },
    ],
  ])('the effort is sent as %s', (_, facts, quirks, effort, expected) => {
    const info = { ...modelInfo({ thinking: true }), ...facts };
    const { messages: _messages, stream_options: _options, ...asked } = wire({ effort }, { info, quirks });
    expect(asked).toEqual({ model: 'm', stream: true, ...expected });
  });

  test('no effort is sent to a model that does not think', () => {
    expect(wire({ effort: 'low' })).not.toHaveProperty('reasoning_effort');
  });

  test('quirks rename and drop fields', () => {
    const quirks: ChatQuirks = {
      noStreamOptions: true,
      maxCompletionTokens: true,
      promptCacheKey: true,
      noTemperatureWhenThinking: true,
    };
    const info = modelInfo({ thinking: true });
    expect(
      wire({ system: '', messages: [], maxTokens: 5, cacheKey: 'k', temperature: 1 }, { quirks, info }),
    ).toEqual({ model: 'm', stream: true, messages: [], max_completion_tokens: 5, prompt_cache_key: 'k' });
  });
});

describe('[Y36] a conversation on the wire', () => {
  test('a call and its result travel as assistant and tool messages', () => {
    expect(
      messages([
        assistant([{ type: 'text', text: 'Let me see.' }, call('a'), call('b', null)]),
        result('a', { type: 'text', text: 'one' }),
        result('b'),
      ]),
    ).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'files__read', arguments: '{"x":1}' } },
          { id: 'b', type: 'function', function: { name: 'files__read', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: '(no output)' },
    ]);
  });

  test('images in results follow the last result of the turn', () => {
    const list = messages([
      assistant([call('a'), call('b')]),
      result('a', image),
      result('b', { type: 'text', text: 'two' }),
    ]);
    expect(list.map((message) => message.role)).toEqual(['assistant', 'tool', 'tool', 'user']);
    expect(list.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'What Read returned:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    });
  });

  test('a model without vision gets a note that there was an image', () => {
    expect(
      messages([user({ type: 'text', text: 'Look:' }, image)], {}, modelInfo({ images: false })),
    ).toEqual([{ role: 'user', content: 'Look:\n[Image omitted: this model does not support images.]' }]);
  });

  test('an assistant message with only thinking is omitted', () => {
    expect(messages([assistant([{ type: 'thinking', text: 'hm' }])])).toEqual([]);
  });

  test('ids are converted to what the vendor accepts, the same in call and result', () => {
    const id = 'toolu_01ABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789';
    for (const [quirks, shape] of [
      [{}, /^.{1,40}$/],
      [{ nineCharacterIds: true }, /^[a-zA-Z0-9]{9}$/],
    ] as const) {
      const [asked, answered] = messages([assistant([call(id)]), result(id)], quirks);
      const wireId = (asked as { tool_calls: { id: string }[] }).tool_calls[0]?.id;
      expect(wireId).toMatch(shape);
      expect(answered).toMatchObject({ tool_call_id: wireId });
    }
  });

  test('a user message after a result is separated if the vendor requires it', () => {
    const list = [assistant([call('a')]), result('a'), user({ type: 'text', text: 'stop' })];
    expect(messages(list, { assistantAfterTool: true }).map((message) => message.role)).toEqual([
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });
});

describe('prompt cache markers', () => {
  const quirks = { cacheControlFor: /^anthropic\// };
  const said = (text: string) => user({ type: 'text', text });
  const cached = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
  const wireOf = (messages: Message[], model = 'anthropic/claude-sonnet-4.6') =>
    wire({ model, system: 'Be brief.', summary: 'So far.', messages }, { quirks }).messages;

  const marksIn = (sent: unknown) => JSON.stringify(sent).split('cache_control').length - 1;
  const unmarked = (sent: unknown) =>
    JSON.parse(JSON.stringify(sent, (key, value) => (key === 'cache_control' ? undefined : value)));

  test('are on the system prompt, the summary, and the end of the last two turns', () => {
    const answered = assistant([{ type: 'text', text: 'word' }]);
    const sent = wireOf([said('one'), answered, said('two'), answered, said('three')]);
    expect(sent[0]?.content).toEqual([
      ...cached('Be brief.'),
      ...cached(summarySection({ summary: 'So far.' }) ?? ''),
    ]);
    expect(sent.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'one' }],
      cached('two'),
      cached('three'),
    ]);
    expect(marksIn(sent)).toBe(4);
  });

  test('advance with tool results during a long run', () => {
    const turn = (id: string) => [
      assistant([call(`${id}1`), call(`${id}2`)]),
      result(`${id}1`, { type: 'text', text: `${id}1` }),
      result(`${id}2`, { type: 'text', text: `${id}2` }),
    ];
    const sent = wireOf([said('go'), ...turn('a'), ...turn('b'), ...turn('c')]);
    const marked = sent.slice(1).filter((message) => marksIn(message) > 0);
    expect(marked.map(({ role, content }) => ({ role, content }))).toEqual([
      { role: 'tool', content: cached('b2') },
      { role: 'tool', content: cached('c2') },
    ]);
  });

  test('are omitted for models that reject them', () => {
    expect(JSON.stringify(wireOf([said('one')], 'openai/gpt-5'))).not.toContain('cache_control');
  });

  test('property: never more than four, and each request is a prefix of its continuation', () => {
    const some = fc.constantFrom<Message[]>(
      [said('hi')],
      [said('')],
      [user(image)],
      [assistant([{ type: 'text', text: 'word' }])],
      [assistant([call('c')]), result('c', { type: 'text', text: 'out' })],
      [assistant([call('c')]), result('c')],
    );
    const turns = fc.array(some, { maxLength: 12 });
    fc.assert(
      fc.property(turns, turns, (before, after) => {
        const first = wireOf(before.flat());
        const next = wireOf([...before, ...after].flat());
        expect(marksIn(next)).toBeLessThanOrEqual(4);
        expect(unmarked(next).slice(0, first.length)).toEqual(unmarked(first));
      }),
    );
  });
});
