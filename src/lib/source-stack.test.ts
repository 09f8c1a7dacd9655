import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { sourceStack } from './source-stack.ts';

/** Maps the first two columns of a bundle to the first lines of two files. */
const map = {
  version: 3,
  names: [],
  sources: ['../../src/a.ts', '../../src/lib/b.ts'],
  mappings: 'AAAA,CCCA',
};

test('a position in a bundle is mapped to the source', async () => {
  const { root } = await workspace();
  const file = path.join(root, 'run-abc.cjs');
  await writeFile(`${file}.map`, JSON.stringify(map));
  const stack = `Error: no\n    at f (${file}:1:1)\n    at ${file}:1:2\n    at node:internal/main:28:49`;
  expect(sourceStack(stack)).toBe(
    'Error: no\n    at f (src/a.ts:1:1)\n    at src/lib/b.ts:2:1\n    at node:internal/main:28:49',
  );
});

test.each([
  ['no map', null],
  ['a map that cannot be read', '{'],
  ['a map of nothing', '{"version":3,"names":[],"sources":[],"mappings":""}'],
])('%s leaves the position unchanged', async (_, text) => {
  const { root } = await workspace();
  const file = path.join(root, 'a.js');
  if (text !== null) await writeFile(`${file}.map`, text);
  const stack = `Error: no\n    at f (${file}:1:1)`;
  expect(sourceStack(stack)).toBe(stack);
});

test('property: any error text is passed through', () => {
  fc.assert(fc.property(fc.string(), (text) => sourceStack(text) === text));
});
