import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { foundTable } from '../bench/memory-found.ts';

test('[M03] [M04] what the documentation says of finding notes is what the labelled set gives', async () => {
  const page = await readFile(new URL('../docs/memory.md', import.meta.url), 'utf8');
  const cells = (line: string) => line.split('|').map((cell) => cell.trim().replace(/ \(.*\)$/, ''));
  const told = page.split('\n').map(cells);
  for (const row of (await foundTable()).slice(2)) expect(told).toContainEqual(cells(row));
});
