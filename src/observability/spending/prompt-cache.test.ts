import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scripted } from '../../../test/support/scripted.ts';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import { cachedUsage, PromptCache } from './prompt-cache.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const user = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp });
const said = (
  content: AssistantMessage['content'],
  extra: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  role: 'assistant',
  content,
  provider: 'v',
  model: 'm',
  stopReason: 'end',
  timestamp,
  ...extra,
});
const answer = (text: string): ToolMessage => ({
  role: 'tool',
  callId: 'c1',
  name: 'Read',
  success: true,
  content: [{ type: 'text', text }],
  timestamp,
});
const call = { type: 'tool_call' as const, id: 'c1', name: 'Read', input: { file_path: 'a' } };
const tool = (name: string) => ({ name, description: 'Does.', parameters: {} });

const base: CompletionRequest = {
  model: 'm',
  system: 'Be brief.',
  tools: [tool('Read'), tool('Edit')],
  messages: [user('go'), said([{ type: 'thinking', text: 'hm', signature: 's' }, call]), answer('alpha')],
};

/** Sends each request to a provider without waiting for its answers. */
function compared(...requests: CompletionRequest[]) {
  const cache = new PromptCache();
  const provider = cache.watched(scripted());
  for (const request of requests) provider.stream(request, new AbortController().signal);
  return cache.compared;
}
const differenceOf = (...requests: CompletionRequest[]) => compared(...requests)?.difference;

/** As another process would have it: equal, but not identical objects. */
const reread = (request: CompletionRequest): CompletionRequest => structuredClone(request);

describe('[K06] the first difference between the last two requests', () => {
  test('needs two requests', () => {
    expect(compared()).toBeNull();
    expect(compared(base)).toBeNull();
  });

  test('does not exist if a request continues or rewinds the last one', () => {
    const longer = { ...base, messages: [...base.messages, said([{ type: 'text', text: 'ok' }])] };
    expect(differenceOf(base, longer)).toBeNull();
    expect(differenceOf(base, reread(longer))).toBeNull();
    expect(differenceOf(longer, base)).toBeNull();
  });

  test('ignores timestamps, costs and output limits', () => {
    const later = base.messages.map((message): Message => ({ ...message, timestamp: 'later' }));
    expect(differenceOf(base, { ...base, messages: later, maxTokens: 5 })).toBeNull();
  });

  const long = 'x'.repeat(200);
  test.each<[string, CompletionRequest, CompletionRequest, { block: string; character: number }]>([
    ['the model', base, { ...base, model: 'n' }, { block: 'the model', character: 1 }],
    [
      'tools in another order',
      base,
      { ...base, tools: [tool('Edit'), tool('Read')] },
      { block: 'the tool Edit', character: 1 },
    ],
    [
      'a tool more',
      base,
      { ...base, tools: [tool('Read'), tool('Edit'), tool('Fly')] },
      { block: 'the tool Fly', character: 1 },
    ],
    [
      'the system prompt',
      { ...base, system: `${long}a` },
      { ...base, system: `${long}b` },
      { block: 'the system prompt', character: 193 },
    ],
    ['a compaction', base, { ...base, summary: 'In short.' }, { block: 'the summary', character: 1 }],
    [
      'a prompt',
      base,
      { ...base, messages: [user('stop'), ...base.messages.slice(1)] },
      { block: 'message 1 (user)', character: 1 },
    ],
    [
      'a signature',
      base,
      {
        ...base,
        messages: [
          user('go'),
          said([{ type: 'thinking', text: 'hm', signature: 't' }, call]),
          answer('alpha'),
        ],
      },
      { block: 'message 2 (thought)', character: 1 },
    ],
    [
      'an answer',
      { ...base, messages: [...base.messages.slice(0, 2), answer(`${long}${long}`)] },
      { ...base, messages: [...base.messages.slice(0, 2), answer(long)] },
      { block: 'message 3 (result of Read)', character: 193 },
    ],
  ])('is found in %s', (_name, before, now, difference) => {
    expect(differenceOf(before, now)).toEqual(difference);
    expect(differenceOf(before, reread(now))).toEqual(difference);
    // Only the last two count.
    expect(differenceOf(before, now, now)).toBeNull();
  });

  test('is never after the first different character, and at most 64 before it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string({ maxLength: 300 }), (one, other, head) => {
        fc.pre(one !== other);
        const texts = [head + one, head + other] as const;
        const at = [...Array(Math.max(texts[0].length, texts[1].length)).keys()].find(
          (i) => texts[0][i] !== texts[1][i],
        );
        const found = differenceOf({ ...base, system: texts[0] }, { ...base, system: texts[1] });
        expect(found?.block).toBe('the system prompt');
        const character = found?.character ?? Number.NaN;
        expect(character).toBeLessThanOrEqual((at ?? 0) + 1);
        expect(character).toBeGreaterThan((at ?? 0) + 1 - 64);
      }),
    );
  });
});

test('[K06] the counts are the vendor’s, of all replies and of the last', () => {
  const first = { inputTokens: 100, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 50 };
  const second = { inputTokens: 20, outputTokens: 2, cacheReadTokens: 150, cacheWriteTokens: 0 };
  const messages = [user('a'), said([], { usage: first }), said([]), said([], { usage: second })];
  expect(cachedUsage(messages)).toEqual({
    session: { inputTokens: 120, outputTokens: 3, cacheReadTokens: 150, cacheWriteTokens: 50 },
    last: second,
  });
  expect(cachedUsage([]).last).toBeNull();
});
