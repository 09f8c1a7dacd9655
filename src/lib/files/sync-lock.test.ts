import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { withSyncLock } from './sync-lock.ts';

async function lockOf(text: string, ageMs: number): Promise<string> {
  const { home } = await workspace();
  const lock = path.join(home, 'lock');
  writeFileSync(lock, text);
  const seconds = (Date.now() - ageMs) / 1000;
  utimesSync(lock, seconds, seconds);
  return lock;
}

test.each([
  ['of a process that is gone', `${2 ** 22 + 1} ${hostname()}`, 0],
  ['that nobody signed', '', 3_000],
  ['of another machine, long ago', '1 elsewhere', 11_000],
])('a lock %s is taken over', async (_, text, ageMs) => {
  const lock = await lockOf(text, ageMs);
  expect(withSyncLock(lock, () => existsSync(lock))).toBe(true);
  expect(existsSync(lock)).toBe(false);
});

test('a lock that is held is waited for, and not taken', async () => {
  const lock = await lockOf(`${process.pid} ${hostname()}`, 0);
  expect(() => withSyncLock(lock, () => 'done')).toThrow('is held by another process');
  expect(existsSync(lock)).toBe(true);
}, 20_000);
