import { expect, test } from 'vitest';
import { renameWithRetry } from './rename-with-retry.ts';

/** Fails the given number of times, then succeeds. */
function refusing(times: number, code: string) {
  const calls: string[] = [];
  const move = async (from: string, to: string) => {
    calls.push(`${from} ${to}`);
    if (calls.length <= times) throw Object.assign(new Error(code), { code });
  };
  return { move, calls };
}

test('[N04] on Windows a file that is briefly in use is replaced eventually', async () => {
  const { move, calls } = refusing(3, 'EPERM');
  await renameWithRetry('a', 'b', { platform: 'win32', move });
  expect(calls).toEqual(['a b', 'a b', 'a b', 'a b']);
});

test.each<[NodeJS.Platform, string, number]>([
  ['linux', 'EPERM', 1],
  ['darwin', 'EBUSY', 1],
  ['win32', 'ENOENT', 1],
  ['win32', 'EBUSY', 12],
])('on %s a permanent %s is reported after %i attempts', async (platform, code, tries) => {
  const { move, calls } = refusing(99, code);
  await expect(renameWithRetry('a', 'b', { platform, move })).rejects.toMatchObject({ code });
  expect(calls.length).toBe(tries);
});
