import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../contract/message.ts';
import { cacheLifetime } from './cache-lifetime.ts';

const START = Date.parse('2026-11-19T09:00:00Z');
const at = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const prompt = (minutes: number): Message => ({
  ...{ role: 'user', content: [{ type: 'text', text: 'go' }] },
  timestamp: at(minutes),
});
const reply = (minutes: number): Message => ({
  ...{ role: 'assistant', provider: 'v', model: 'm', stopReason: 'end' },
  content: [{ type: 'text', text: 'ok' }],
  timestamp: at(minutes),
});

/** Each request comes after one of these pauses, in minutes; the last one is about to be sent. */
function conversation(pauses: readonly number[]): Message[] {
  let now = 0;
  return pauses.flatMap((pause, i) => {
    now += pause;
    const asked = prompt(now);
    now += 1;
    return i === pauses.length - 1 ? [asked] : [asked, reply(now)];
  });
}

test.each<[string, number[], '5m' | '1h']>([
  ['the first request', [0], '5m'],
  ['someone who stays', [0, 1, 2, 4, 1], '5m'],
  ['the first pause that is too long', [0, 1, 12], '1h'],
  ['all that follows it', [0, 1, 12, 1, 1, 2], '1h'],
  ['a pause over lunch, which an hour would not outlast', [0, 1, 90], '5m'],
  ['one such pause in many requests', [0, ...Array.from({ length: 18 }, () => 1), 12], '5m'],
  ['two such pauses among the last twenty', [0, 12, ...Array.from({ length: 17 }, () => 1), 12], '1h'],
])('%s', (_who, pauses, lifetime) => {
  expect(cacheLifetime(conversation(pauses), 0)).toBe(lifetime);
});

test('it changes only where the whole prompt is written anyway', () => {
  const pauses = fc.array(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(pauses, fc.nat(40), (list, from) => {
      const lifetimes = list.map((_, i) => cacheLifetime(conversation(list.slice(0, i + 1)), from));
      for (const [i, lifetime] of lifetimes.entries()) {
        const before = lifetimes[i - 1];
        if (before === undefined || before === lifetime) continue;
        const isFirst = 2 * i >= from && 2 * (i - 1) < from;
        expect((list[i] ?? 0) > (before === '1h' ? 60 : 5) || isFirst).toBe(true);
      }
    }),
  );
});
