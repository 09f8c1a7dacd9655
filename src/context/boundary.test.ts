import fc from 'fast-check';
import { expect, test } from 'vitest';
import { histories, pairs } from '../../test/support/histories.ts';
import type { Message } from '../contract/message.ts';
import { lastTurnStart, promptBefore, tailStart, turnStart } from './boundary.ts';

const count = (message: Message) => JSON.stringify(message.content).length;

test('[Y02] [K05] the tail starts with a turn, has at least ten messages, and never separates a call from its result', () => {
  fc.assert(
    fc.property(histories, fc.nat(100_000), (messages, budget) => {
      const start = tailStart(messages, { budget, count });
      const tail = messages.slice(start);
      expect(messages[start]?.role).not.toBe('tool');
      expect(tail.length).toBeGreaterThanOrEqual(Math.min(10, messages.length));
      const { calls, answers } = pairs(tail);
      expect(answers).toEqual(calls);
    }),
  );
});

test('[Y02] beyond ten messages the tail is the longest that fits', () => {
  fc.assert(
    fc.property(histories, fc.nat(100_000), (messages, budget) => {
      const start = tailStart(messages, { budget, count });
      const least = turnStart(messages, messages.length - 10);
      const size = (from: number) => messages.slice(from).reduce((sum, message) => sum + count(message), 0);
      if (start < least) expect(size(start)).toBeLessThanOrEqual(budget);
      const longer = turnStart(messages, start - 1);
      if (start > 0) expect(size(longer)).toBeGreaterThan(budget);
    }),
  );
});

test('the last turn is the last reply with its results', () => {
  fc.assert(
    fc.property(histories, (messages) => {
      const start = lastTurnStart(messages);
      expect(messages.slice(start).map(({ role }) => role === 'tool')).toEqual(
        messages.slice(start).map((_, i) => i > 0),
      );
    }),
  );
});

test('a prompt is kept together with those sent while its run was going', () => {
  const user = (text: string): Message => ({
    role: 'user',
    content: [{ type: 'text', text }],
    timestamp: '',
  });
  const reply: Message = {
    role: 'assistant',
    content: [{ type: 'tool_call', id: 'c', name: 'Read', input: {} }],
    provider: 'p',
    model: 'm',
    stopReason: 'tool_calls',
    timestamp: '',
  };
  const result: Message = {
    role: 'tool',
    callId: 'c',
    name: 'Read',
    success: true,
    content: [],
    timestamp: '',
  };
  const step = (text: string) => [reply, result, user(text)];
  const messages = [
    user('earlier'),
    { ...reply, content: [] },
    user('task'),
    ...['a', 'b', 'c', 'd'].flatMap(step),
    reply,
  ];

  const prompt = promptBefore(messages, messages.length - 1);
  expect(prompt?.content.map((part) => part.type === 'text' && part.text)).toEqual(['task', 'b', 'c', 'd']);
  expect(promptBefore(messages, 2)).toEqual(user('earlier'));
  expect(promptBefore(messages, 0)).toBeNull();
});
