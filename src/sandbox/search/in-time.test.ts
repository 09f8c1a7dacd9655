import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTimeOr } from './in-time.ts';

const after = (ms: number) => (signal: AbortSignal) => delay(ms, 'attempt', { signal });
const signal = () => new AbortController().signal;
const otherwise = async () => 'otherwise';

test('a result in time counts', async () => {
  expect(await inTimeOr({ ms: 5_000, signal: signal(), attempt: after(1), otherwise })).toBe('attempt');
});

test('a late attempt is aborted, and the alternative is used', async () => {
  expect(await inTimeOr({ ms: 10, signal: signal(), attempt: after(60_000), otherwise })).toBe('otherwise');
});

test('a failure in time does not use the alternative', async () => {
  const attempt = () => Promise.reject(new Error('broken'));
  await expect(inTimeOr({ ms: 5_000, signal: signal(), attempt, otherwise })).rejects.toThrow('broken');
});

test('[L10] an abort ends both', async () => {
  const user = AbortSignal.abort(new Error('stopped'));
  await expect(inTimeOr({ ms: 5_000, signal: user, attempt: after(60_000), otherwise })).rejects.toThrow();
});
