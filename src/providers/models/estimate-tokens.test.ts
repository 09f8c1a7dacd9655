import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.ts';
import { estimateTokens } from './estimate-tokens.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }], timestamp });
const ask = (messages: Message[]) => ({ model: 'm', system: '', messages });

test('every part of a request counts: system, tools, text, calls and images', () => {
  const plain = estimateTokens(ask([user('hello')]));
  const call: Message = {
    role: 'assistant',
    content: [{ type: 'tool_call', id: 'c', name: 'Read', input: { file_path: 'src/index.ts' } }],
    provider: 'p',
    model: 'm',
    stopReason: 'tool_calls',
    timestamp,
  };
  const image: Message = {
    role: 'user',
    content: [{ type: 'image', mediaType: 'image/png', data: 'A'.repeat(100_000) }],
    timestamp,
  };

  expect(plain).toBe(2);
  expect(estimateTokens({ ...ask([user('hello')]), system: 'x'.repeat(35) })).toBe(plain + 10);
  expect(estimateTokens(ask([user('hello'), call]))).toBeGreaterThan(plain + 5);
  expect(estimateTokens(ask([user('hello'), image]))).toBe(plain + 1600);
  expect(
    estimateTokens({
      ...ask([user('hello')]),
      tools: [{ name: 'Read', description: 'Reads', parameters: {} }],
    }),
  ).toBeGreaterThan(plain);
});

test('more text is never fewer tokens', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (texts, more) => {
      const shorter = texts.map(user);
      expect(estimateTokens(ask([...shorter, user(more)]))).toBeGreaterThanOrEqual(
        estimateTokens(ask(shorter)),
      );
    }),
  );
});
