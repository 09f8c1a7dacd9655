import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { newestFiles } from './newest-files.ts';

test('property: however many come in, the ones kept are those that a limit would show first', async () => {
  const { root } = await workspace();
  const files = Array.from({ length: 12 }, (_, i) => path.join(root, `f${i}`));
  for (const [i, file] of files.entries()) {
    writeFileSync(file, '');
    // Two of each age: then names decide.
    utimesSync(file, 1000 + (i >> 1), 1000 + (i >> 1));
  }
  const inOrder = files.toSorted((a, b) => {
    const [i, j] = [files.indexOf(a) >> 1, files.indexOf(b) >> 1];
    return j - i || (a < b ? -1 : 1);
  });
  fc.assert(
    fc.property(
      fc.shuffledSubarray(files, { minLength: 1 }),
      fc.integer({ min: 1, max: 14 }),
      (some, limit) => {
        const kept = newestFiles<string>(limit);
        for (const file of some) kept.open(file)?.hits.push(...Array<string>(15_000).fill('x'));
        const expected = inOrder.filter((file) => some.includes(file))[0];
        expect(kept.kept().map(({ file }) => file)).toEqual([expected]);
      },
    ),
    { numRuns: 30 },
  );
});

test('a missing file is the oldest', async () => {
  const { root } = await workspace({ a: '' });
  const kept = newestFiles(5);
  for (const name of ['gone', 'a/b', 'a']) kept.open(path.join(root, name));
  expect(kept.kept().map(({ file }) => path.relative(root, file))).toEqual([
    'a',
    path.join('a', 'b'),
    'gone',
  ]);
});
