import { expect, test } from 'vitest';
import type { UserMessage } from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { cacheKeyOf } from './cache-key.ts';

const user = (text: string, second: number): UserMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: `2026-01-01T00:00:0${second}.000Z`,
});
const session = (id: string, ...messages: UserMessage[]): Session => ({
  id,
  workingDirectory: '/project',
  startedAt: '2026-01-01T00:00:00.000Z',
  messages,
  permissions: [],
  settings: { model: 'm' },
});

test('[K06] a session keeps its cache key as it grows, and forks share it', () => {
  const key = cacheKeyOf(session('one', user('a', 1)));
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(cacheKeyOf(session('one', user('a', 1), user('b', 2)))).toBe(key);
  expect(cacheKeyOf(session('a fork', user('a', 1), user('c', 3)))).toBe(key);
});

test('[K06] unrelated sessions have different keys', () => {
  const others = [session('one', user('a', 2)), session('two'), session('three')];
  expect(new Set([session('one', user('a', 1)), ...others].map(cacheKeyOf)).size).toBe(4);
});
