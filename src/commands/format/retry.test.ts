import { expect, test } from 'vitest';
import type { AgentEvent } from '../../contract/event.ts';
import { retryLine } from './retry.ts';

const retry = (changes: Partial<Extract<AgentEvent, { type: 'retry' }>>) =>
  retryLine({ type: 'retry', kind: 'overloaded', message: 'Busy.', attempt: 1, delayMs: 2100, ...changes });

test('[V06] a retry is one line: which attempt, when, and why', () => {
  expect(retry({})).toBe('Server overloaded, retrying in 2s (1 of 3). Busy.');
  expect(retry({ kind: 'rate_limit', attempt: 2, delayMs: 30_000 })).toBe(
    'Rate limited, retrying in 30s (2 of 3). Busy.',
  );
  expect(retry({ kind: 'server_error' })).toBe('Server error, retrying in 2s (1 of 3). Busy.');
  expect(retry({ kind: 'cut', delayMs: 400 })).toBe('Answer cut off, retrying in 0.4s (1 of 3). Busy.');
});
