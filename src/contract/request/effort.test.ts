import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AssistantMessage, Message, UserMessage } from '../message.ts';
import { changedEffort, effortBefore, effortNow } from './conversation-effort.ts';
import { type Effort, type EffortChoice, effortLevels, fitEffort } from './effort.ts';

const abilities = { thinking: true };
const timestamp = '2026-01-01T00:00:00Z';

function prompt(effort?: EffortChoice): UserMessage {
  return { role: 'user', content: [{ type: 'text', text: 'go' }], ...(effort && { effort }), timestamp };
}

const reply: AssistantMessage = {
  role: 'assistant',
  content: [{ type: 'text', text: 'ok' }],
  provider: 'v',
  model: 'm',
  stopReason: 'end',
  timestamp,
};

describe('the effort of a model', () => {
  test.each<[Effort, Effort[], Effort | undefined]>([
    ['medium', ['low', 'medium', 'high'], 'medium'],
    ['medium', ['low', 'high', 'max'], 'low'],
    ['xhigh', ['low', 'high', 'max'], 'high'],
    ['max', ['low', 'medium', 'high'], 'high'],
    ['none', ['low', 'medium', 'high'], 'low'],
    ['minimal', ['none', 'low'], 'none'],
    ['low', ['none', 'high'], 'none'],
    ['high', [], undefined],
  ])('%s among %j is %s: the nearest, and the lower of two', (wanted, levels, used) => {
    expect(fitEffort(wanted, { abilities, effort: { levels } })).toBe(used);
  });

  test('without data, a thinking model has low to high, and any other model has no effort', () => {
    expect(fitEffort('max', { abilities })).toBe('high');
    expect(fitEffort('max', { abilities: { thinking: false } })).toBeUndefined();
    expect(fitEffort(undefined, { abilities })).toBeUndefined();
  });

  test('property: no other level is nearer, whatever the order of the levels', () => {
    const rank = (level: Effort) => effortLevels.indexOf(level);
    fc.assert(
      fc.property(
        fc.constantFrom(...effortLevels),
        fc.uniqueArray(fc.constantFrom(...effortLevels), { minLength: 1 }),
        (wanted, levels) => {
          const used = fitEffort(wanted, { abilities, effort: { levels } });
          const steps = Math.abs(rank(used as Effort) - rank(wanted));
          const nearest = levels.map((level) => Math.abs(rank(level) - rank(wanted)));
          expect(levels).toContain(used);
          expect(steps).toBe(Math.min(...nearest));
        },
      ),
    );
  });
});

describe('the effort of a conversation', () => {
  test('is that of the start, until a prompt changes it', () => {
    const messages: Message[] = [prompt(), reply, prompt('high'), reply, prompt()];
    expect(effortNow({ messages: messages.slice(0, 2), effort: 'low' })).toBe('low');
    expect(effortNow({ messages, effort: 'low' })).toBe('high');
    expect(effortNow({ messages, effort: 'low', effortForNext: 'max' })).toBe('max');
    expect(effortNow({ messages: [...messages, prompt('default')], effort: 'low' })).toBeUndefined();
  });

  test('a prompt records it only if it changed', () => {
    expect(changedEffort(undefined, [prompt()])).toBeUndefined();
    expect(changedEffort('high', [])).toBe('high');
    expect(changedEffort('high', [prompt('high'), reply])).toBeUndefined();
    expect(changedEffort(undefined, [prompt('high'), reply])).toBe('default');
  });

  test('before the shown messages is what the hidden ones recorded last, or that of the first prompt', () => {
    const all: Message[] = [prompt('low'), reply, prompt('high'), reply, prompt('max'), reply, prompt()];
    expect(effortBefore(all, all)).toBe('low');
    expect(effortBefore(all, all.slice(2))).toBe('low');
    expect(effortBefore(all, all.slice(3))).toBe('high');
    expect(effortBefore(all, all.slice(6))).toBe('max');
    expect(
      effortBefore([prompt(), reply, prompt('high')], [prompt(), reply, prompt('high')]),
    ).toBeUndefined();
  });

  test('property: whatever is hidden at the start, the effort now is the same', () => {
    const message = fc.oneof(
      fc.constant<Message>(reply),
      fc.option(fc.constantFrom<EffortChoice>('default', ...effortLevels), { nil: undefined }).map(prompt),
    );
    fc.assert(
      fc.property(fc.array(message), fc.nat(20), (rest, hidden) => {
        const all = [prompt('low'), ...rest];
        const messages = all.slice(Math.min(hidden, all.length));
        const effort = effortBefore(all, messages);
        expect(effortNow({ messages, ...(effort && { effort }) })).toBe(
          effortNow({ messages: all, effort: 'low' }),
        );
      }),
    );
  });
});
