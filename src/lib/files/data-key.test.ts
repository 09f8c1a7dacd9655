import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { dataKey } from './data-key.ts';

test('a key is created once, readable only by its owner, and found again', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'data/own.key');
  const key = dataKey(file);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(dataKey(file)).toBe(key);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(path.dirname(file))).toEqual(['own.key']);
});

test('there is a key even if no file can be written', async () => {
  const { home } = await workspace();
  await writeFile(path.join(home, 'data'), 'a file, not a folder');
  expect(dataKey(path.join(home, 'data/own.key'))).toMatch(/^[0-9a-f]{64}$/);
});
