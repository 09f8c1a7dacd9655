import { describe, expect, test } from 'vitest';
import type { AssistantMessage, Message, UserMessage } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { effortNow } from '../../contract/request/conversation-effort.ts';
import type { EffortChoice } from '../../contract/request/effort.ts';
import { infoOf } from '../../providers/models/models.ts';
import { presets } from '../../providers/presets.ts';
import type { Choice } from './choose-model.ts';
import { createEffort, replacementNotice, withEffortNotice } from './effort.ts';

const timestamp = '2026-01-01T00:00:00Z';
const reply: AssistantMessage = {
  role: 'assistant',
  content: [{ type: 'text', text: 'ok' }],
  provider: 'v',
  model: 'm',
  stopReason: 'end',
  timestamp,
};

function choiceOf(provider: string, model: string): Choice {
  const preset = presets.find(({ name }) => name === provider);
  if (!preset) throw new Error(`There is no preset ${provider}.`);
  return { preset, baseUrl: '', model, info: infoOf(provider, model), key: null };
}

/** A conversation whose prompts record the effort as the controller does. */
function conversation(setting?: EffortChoice, flag?: EffortChoice, messages: Message[] = []) {
  const effort = createEffort(flag, {
    setting,
    messages: () => messages,
    current: () => choiceOf('openai', 'gpt-6-luna'),
  });
  const say = () => {
    const changed = effort.changed();
    const prompt: UserMessage = {
      role: 'user',
      content: [{ type: 'text', text: 'go' }],
      ...(changed && { effort: changed }),
      timestamp,
    };
    messages.push(prompt, reply);
  };
  const request = (shown: readonly Message[] = messages): CompletionRequest =>
    effort.applied({ model: 'm', system: '', messages: shown }, messages);
  return { effort, say, request, messages };
}

describe('the effort of a conversation', () => {
  test('is that of the start for each request, with the changes in the messages', () => {
    const { effort, say, request } = conversation('low');
    say();
    expect(request()).toMatchObject({ effort: 'low' });
    effort.set('high');
    expect(request()).toMatchObject({ effort: 'low', effortForNext: 'high' });
    say();
    const { effortForNext, ...asked } = request();
    expect([asked.effort, effortForNext, effortNow(asked)]).toEqual(['low', undefined, 'high']);
    effort.set('default');
    say();
    expect(effortNow(request())).toBeUndefined();
  });

  test('is not lost with messages that a compaction hides', () => {
    const { effort, say, request, messages } = conversation();
    for (const level of ['low', 'max', 'medium'] as const) {
      effort.set(level);
      say();
    }
    for (const hidden of messages.keys()) expect(effortNow(request(messages.slice(hidden)))).toBe('medium');
  });

  test('is kept when the session is resumed, unless a flag names another one', () => {
    const { effort, say, messages } = conversation('low');
    effort.set('high');
    say();
    expect(conversation('low', undefined, messages).effort.get()).toBe('high');
    expect(conversation('low', 'max', messages).effort.get()).toBe('max');
    expect(conversation('low').effort.get()).toBe('low');
    expect(conversation().effort.get()).toBe('default');
  });
});

describe('a level that the model lacks', () => {
  test.each([
    ['moonshot', 'kimi-k3', 'xhigh', 'kimi-k3 takes low, high, max: using high instead of xhigh.'],
    ['moonshot', 'kimi-k3', 'medium', 'kimi-k3 takes low, high, max: using low instead of medium.'],
    ['openai', 'gpt-4.1', 'high', 'gpt-4.1 has no effort setting.'],
    ['openai', 'gpt-4.1', 'none', null],
    ['anthropic', 'claude-opus-5-5', 'max', null],
    [
      'openai',
      'gpt-6.1-sol',
      'none',
      'gpt-6.1-sol takes low, medium, high, xhigh, max: using low instead of none.',
    ],
  ] as const)('%s/%s with %s: %j', (provider, model, wanted, text) => {
    expect(replacementNotice(wanted, infoOf(provider, model))).toBe(text);
  });

  test('is mentioned once for each model', async () => {
    const told: string[] = [];
    const noticed = withEffortNotice((text) => told.push(text));
    const provider: Provider = {
      name: 'p',
      async *stream() {
        yield { type: 'stop', reason: 'end' };
      },
      countTokens: async () => 0,
    };
    for (const model of ['kimi-k3', 'kimi-k3', 'kimi-k3.1-pro', 'kimi-k3']) {
      const wrapped = noticed({ choice: choiceOf('moonshot', model), provider });
      const request = { model, system: '', messages: [], effort: 'xhigh' as const };
      for await (const _ of wrapped.stream(request, new AbortController().signal)) break;
    }
    expect(told).toEqual([
      'kimi-k3 takes low, high, max: using high instead of xhigh.',
      'kimi-k3.1-pro takes low, high, max: using high instead of xhigh.',
    ]);
  });
});
