import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answer, histories, pairs, prompt, reply } from '../../test/support/histories.ts';
import { textOf } from '../contract/message.ts';
import { show, wholeShape } from './show.ts';
import { MAX_LEVEL } from './squeeze.ts';

const shape = fc.record({
  keepFrom: fc.nat(60),
  squeezeUntil: fc.nat(60),
  level: fc.nat(MAX_LEVEL),
  at: fc.nat(60),
});

test('[Y02] whatever a journal contains, what is sent starts with the user and separates no call from its result', () => {
  fc.assert(
    fc.property(histories, shape, (messages, shape) => {
      const sent = show(messages, shape);
      const { calls, answers } = pairs(sent);
      expect(answers).toEqual(calls);
      if (sent.length > 0) expect(sent[0]?.role).toBe('user');
    }),
  );
});

test('[Y05] between compactions, what is sent only grows at its end', () => {
  fc.assert(
    fc.property(histories, histories, shape, (messages, more, { level, ...places }) => {
      const within = (place: number) => Math.min(place, messages.length);
      const fixed = {
        level,
        keepFrom: within(places.keepFrom),
        squeezeUntil: within(places.squeezeUntil),
        at: messages.length,
      };
      const before = show(messages, fixed);
      const after = show([...messages, ...more], fixed);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(after.length).toBe(before.length + more.length);
    }),
  );
});

test('without a compaction, the history is sent unchanged', () => {
  const messages = [prompt('go'), reply('done')];
  expect(show(messages, wholeShape)).toBe(messages);
});

test('the prompt of a kept reply stays before it, however old; a log in it is bounded', () => {
  const task = `fix it\n${'log '.repeat(10_000)}\nthanks`;
  const turns = Array.from({ length: 4 }, (_, i) => [
    reply('', { id: `${i}`, name: 'Bash', input: {} }),
    answer(`${i}`, 'Bash', 'ok'),
  ]).flat();
  const sent = show([prompt(task), ...turns], { ...wholeShape, keepFrom: 5, at: 9 });
  expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
  const [first = prompt('')] = sent;
  expect(textOf(first).startsWith('fix it\nlog log')).toBe(true);
  expect(textOf(first).endsWith('log \nthanks')).toBe(true);
  expect(textOf(first).length).toBeLessThan(18_100);
});
