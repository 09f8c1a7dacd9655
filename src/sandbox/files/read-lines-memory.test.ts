import { open } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { readLines } from './read-lines.ts';

test('[N08] memory use of readLines does not grow with the file', { timeout: 60_000 }, async () => {
  const { root } = await workspace();
  const file = path.join(root, 'big');
  const block = Buffer.from(`${'z'.repeat(99)}\n`.repeat(10_000));
  await using out = await open(file, 'w');
  for (let i = 0; i < 240; i++) await out.write(block);
  await using handle = await open(file);
  const before = process.memoryUsage().rss;
  let highest = 0;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss);
  }, 1);
  const { lines, more } = await readLines(handle, { offset: 2_399_990, limit: 20 });
  clearInterval(watch);
  expect({ lines: lines.length, more }).toEqual({ lines: 10, more: false });
  expect(highest).toBeGreaterThan(0);
  // Half the size of the file: the garbage left uncollected differs between runtimes.
  expect((highest - before) / 1024 / 1024).toBeLessThan(120);
});
