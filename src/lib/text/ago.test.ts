import { expect, test } from 'vitest';
import { ago } from './ago.ts';

test.each([
  ['2026-03-01T12:00:00.000Z', 'just now'],
  ['2026-03-01T11:59:01.000Z', 'just now'],
  ['2026-03-01T11:59:00.000Z', '1 minute ago'],
  ['2026-03-01T11:00:01.000Z', '59 minutes ago'],
  ['2026-03-01T11:00:00.000Z', '1 hour ago'],
  ['2026-02-28T12:00:01.000Z', '23 hours ago'],
  ['2026-01-30T12:00:00.000Z', '30 days ago'],
  ['2026-03-01T12:00:05.000Z', 'just now'],
  ['no time at all', 'just now'],
])('%s is %s', (time, words) => {
  expect(ago(time, Date.parse('2026-03-01T12:00:00.000Z'))).toBe(words);
});
