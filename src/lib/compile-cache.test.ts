import { existsSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { pruneCompileCache } from './compile-cache.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

test('compiled code of any version is removed after a month; nothing else in the data root is', async () => {
  const { root } = await workspace();
  const now = Date.now();
  const files = {
    'cache/code/v22/old': 31,
    'cache/code/v24/old': 400,
    'cache/code/v24/new': 29,
    'cache/x': 99,
  };
  for (const [name, days] of Object.entries(files)) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, 'x');
    await utimes(file, new Date(), new Date(now - days * DAY_MS));
  }
  pruneCompileCache(root, now);
  expect(Object.keys(files).filter((name) => existsSync(path.join(root, name)))).toEqual([
    'cache/code/v24/new',
    'cache/x',
  ]);
});

test('a missing folder is ignored', async () => {
  const { root } = await workspace();
  pruneCompileCache(root, Date.now());
  expect(await readdir(root)).toEqual([]);
});
