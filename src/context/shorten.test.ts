import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import { shortenView } from './shorten.ts';

/** Turns of a random number of calls, each answered at once, as the loop writes them. */
const history = fc
  .array(fc.record({ prompt: fc.boolean(), calls: fc.nat(4), size: fc.nat(3000) }), { maxLength: 12 })
  .map((turns) =>
    turns.flatMap(({ prompt, calls, size }, t): Message[] => {
      const ids = Array.from({ length: calls }, (_, c) => `${t}.${c}`);
      const user: Message = { role: 'user', content: [{ type: 'text', text: `ask ${t}` }], timestamp: '' };
      const assistant: Message = {
        role: 'assistant',
        content: [
          { type: 'text', text: `say ${t}` },
          ...ids.map((id) => ({ type: 'tool_call' as const, id, name: 'Read', input: {} })),
        ],
        provider: 'p',
        model: 'm',
        stopReason: 'tool_calls',
        timestamp: '',
      };
      const answers = ids.map(
        (id): Message => ({
          role: 'tool',
          callId: id,
          name: 'Read',
          success: true,
          content: [{ type: 'text', text: 'x'.repeat(size) }],
          timestamp: '',
        }),
      );
      return [...(prompt || t === 0 ? [user] : []), assistant, ...answers];
    }),
  );

test('[Y02] [Y05] a view never parts a call from its answer, keeps the last ten messages, and leaves the history alone', () => {
  fc.assert(
    fc.property(history, fc.constantFrom(0 as const, 1 as const, 2 as const), (messages, level) => {
      const before = structuredClone(messages);
      const view = shortenView(messages, level);
      const calls = view.flatMap((message) =>
        message.role === 'assistant'
          ? message.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))
          : [],
      );
      const answers = view.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
      expect(answers).toEqual(calls);
      expect(view.slice(-10)).toEqual(messages.slice(-10));
      expect(messages).toEqual(before);
    }),
  );
});

test('[K03] [K04] the first step bounds old tool output, the second replaces everything old by a summary', () => {
  const user: Message = { role: 'user', content: [{ type: 'text', text: 'fix the bug' }], timestamp: '' };
  const old: Message = {
    role: 'tool',
    callId: 'c',
    name: 'Read',
    success: true,
    content: [{ type: 'text', text: 'x'.repeat(5000) }],
    timestamp: '',
  };
  const said: Message = {
    role: 'assistant',
    content: [{ type: 'text', text: 'I fixed it' }],
    provider: 'p',
    model: 'm',
    stopReason: 'end',
    timestamp: '',
  };
  const messages = [user, old, said, ...Array.from({ length: 10 }, () => user)];

  expect(shortenView(messages, 0)).toBe(messages);
  const [, bounded] = shortenView(messages, 1);
  expect(bounded && textOf(bounded).length).toBeLessThan(800);
  const [summary, ...tail] = shortenView(messages, 2);
  expect(summary && textOf(summary)).toBe(
    'Previous context summary:\nThe user asked, in this order:\n- fix the bug\nYour last answer then was:\nI fixed it',
  );
  expect(tail.length).toBe(10);
});
