import { expect, test } from 'vitest';
import { createReplyStore } from '../../cache/reply-store.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { cachedReplies } from './cached-replies.ts';

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

function desk(reply: (count: number) => ProviderEvent[], purpose: 'main' | 'helper' = 'main') {
  let asked = 0;
  const provider: Provider = {
    name: 'p',
    async *stream() {
      asked++;
      yield* reply(asked);
    },
    countTokens: async () => 0,
  };
  const store = createReplyStore([]);
  const told: AgentEvent[] = [];
  const kept = cachedReplies(provider, {
    line: 'p http://x',
    purpose,
    store: async () => store,
    emit: (event) => told.push(event),
  });
  const ask = async (own: Partial<CompletionRequest> = {}) => {
    const said: ProviderEvent[] = [];
    const message = {
      role: 'user' as const,
      content: [{ type: 'text' as const, text: 'q' }],
      timestamp: `${asked}`,
    };
    const request = {
      model: 'm',
      system: '',
      messages: [message],
      temperature: 0,
      cacheKey: `${asked}`,
      ...own,
    };
    for await (const event of kept.stream(request, new AbortController().signal)) said.push(event);
    return said;
  };
  return { ask, told, asked: () => asked };
}

const whole = (count: number): ProviderEvent[] => [
  { type: 'text', text: `answer ${count}` },
  { type: 'usage', usage },
  { type: 'stop', reason: 'end' },
];

test('[H03] [Y22] an identical request at temperature 0 is answered from the cache, at no further cost', async () => {
  const { ask, told, asked } = desk(whole);
  expect(await ask()).toEqual(whole(1));
  expect(await ask()).toEqual([
    { type: 'text', text: 'answer 1' },
    { type: 'stop', reason: 'end' },
  ]);
  expect(asked()).toBe(1);
  expect(told).toEqual([
    { type: 'cache', kind: 'llm', outcome: 'miss', entries: 0 },
    { type: 'cache', kind: 'llm', outcome: 'hit', entries: 1 },
  ]);
});

test('[Y22] at any other or no temperature, the model is called each time', async () => {
  const { ask, told, asked } = desk(whole);
  await ask({ temperature: 0.1 });
  await ask({ temperature: 0.1 });
  await ask({ temperature: undefined as unknown as number });
  expect([asked(), told]).toEqual([3, []]);
});

test('[H03] [Y22] background work is cached even if the model takes no temperature; the counters say so', async () => {
  const { ask, told, asked } = desk(whole, 'helper');
  const job = { temperature: undefined as unknown as number, effort: 'low' as const };
  for (let i = 0; i < 3; i++) await ask(job);
  await ask({ ...job, temperature: 0.7 });
  expect([asked(), told.map((event) => event.type === 'cache' && event.outcome)]).toEqual([
    2,
    ['miss', 'hit', 'hit'],
  ]);
});

test("timestamps, usage and durations don't change the key; content does", async () => {
  const { ask, asked } = desk(whole);
  const history = (count: number, text = 'same'): CompletionRequest['messages'] => [
    { role: 'user', content: [{ type: 'text', text: 'q' }], timestamp: `${count}` },
    {
      ...{ role: 'assistant', provider: 'p', model: 'm', stopReason: 'tool_calls', timestamp: `${count}` },
      content: [{ type: 'tool_call', id: 'c', name: 'Read', input: {} }],
      usage: { ...usage, inputTokens: count },
    },
    {
      ...{ role: 'tool', callId: 'c', name: 'Read', success: true, timestamp: `${count}` },
      content: [{ type: 'text', text }],
      metadata: { durationMs: count },
    },
  ];
  for (let i = 0; i < 3; i++) await ask({ messages: history(i) });
  expect(asked()).toBe(1);
  await ask({ messages: history(0, 'other') });
  expect(asked()).toBe(2);
});

test('another model, prompt or setting is another request', async () => {
  const { ask, asked } = desk(whole);
  await ask();
  await ask({ model: 'n' });
  await ask({ system: 's' });
  await ask({ maxTokens: 9 });
  expect(asked()).toBe(4);
});

test.each<[what: string, events: ProviderEvent[]]>([
  ['was cut', [{ type: 'text', text: 'a' }]],
  ['was too long', [{ type: 'stop', reason: 'max_tokens' }]],
  ['was refused', [{ type: 'stop', reason: 'refusal' }]],
  [
    'came from another model',
    [
      { type: 'model', provider: 'p', model: 'n' },
      { type: 'stop', reason: 'end' },
    ],
  ],
])('a reply that %s is not cached', async (_, events) => {
  const { ask, asked } = desk(() => events);
  await ask();
  await ask();
  expect(asked()).toBe(2);
});
