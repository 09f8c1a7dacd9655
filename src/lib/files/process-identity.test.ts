import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isRunning, thisProcess } from './process-identity.ts';

test('this process runs; one with its pid and another start time does not', () => {
  const own = thisProcess();
  expect(isRunning(own)).toBe(true);
  if (own.started !== '') expect(isRunning({ ...own, started: '1' })).toBe(false);
});

test('a process that ended does not run', async () => {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  expect(isRunning({ ...thisProcess(), pid: child.pid ?? 0, started: '' })).toBe(false);
});

test('for another machine the answer is unknown', () => {
  expect(isRunning({ ...thisProcess(), boot: 'another', host: 'other' })).toBe('unknown');
});
