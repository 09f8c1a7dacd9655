import { expect, test } from 'vitest';
import type { AgentEvent } from '../../contract/event.ts';
import { retryLine } from './retry.ts';

const retry = (changes: Partial<Extract<AgentEvent, { type: 'retry' }>>) =>
  retryLine({ type: 'retry', kind: 'overloaded', message: 'Busy.', attempt: 1, delayMs: 2100, ...changes });

test('[V06] a retry is one line: which attempt, when, and why', () => {
  expect(retry({})).toBe('retry 1/3 in 2 s: overloaded. Busy.');
  expect(retry({ kind: 'rate_limit', attempt: 2, delayMs: 30_000 })).toBe(
    'retry 2/3 in 30 s: rate limit. Busy.',
  );
  expect(retry({ kind: 'server_error' })).toBe('retry 1/3 in 2 s: server error. Busy.');
  expect(retry({ kind: 'cut', delayMs: 400 })).toBe('retry 1/3 in 0.4 s: the answer broke off. Busy.');
});
