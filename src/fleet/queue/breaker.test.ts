import { expect, test } from 'vitest';
import type { AttemptEnd } from './attempt.ts';
import { Breaker } from './breaker.ts';

const unreadable: AttemptEnd = { type: 'skipped', reason: 'Another key.', isUnreadable: true };
const done = { type: 'finished', result: { status: 'done' } } as AttemptEnd;

test('a worker that cannot read its first task pauses at once', () => {
  const breaker = new Breaker({ concurrency: 2, firstMs: 60_000 });
  expect(breaker.take(unreadable)).toBe(60_000);
  expect({ most: breaker.most, trouble: breaker.trouble }).toEqual({ most: 0, trouble: 'Another key.' });
  // The other one that it had taken.
  expect(breaker.take(unreadable)).toBeNull();
});

test('one that has read a task leaves those of others to them', () => {
  const breaker = new Breaker({ concurrency: 2, firstMs: 60_000 });
  expect([breaker.take(done), breaker.take(unreadable)]).toEqual([null, null]);
  expect({ most: breaker.most, trouble: breaker.trouble }).toEqual({ most: 2, trouble: null });
});
