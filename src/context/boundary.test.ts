import fc from 'fast-check';
import { expect, test } from 'vitest';
import { histories, pairs } from '../../test/support/histories.ts';
import type { Message } from '../contract/message.ts';
import { lastTurnStart, tailStart, turnStart } from './boundary.ts';

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
