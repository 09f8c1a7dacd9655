import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../../../test/support/workspace.ts';
import { entriesBelow, filesBelow } from './files-below.ts';

test('links are listed and not followed, skipped folders are not entered, on every Node alike', async () => {
  const root = await freshFolder();
  for (const folder of ['a/b', 'node_modules/x', 'outside'])
    mkdirSync(path.join(root, folder), { recursive: true });
  for (const file of ['top', 'a/one', 'a/b/two', 'node_modules/x/three', 'outside/four'])
    writeFileSync(path.join(root, file), '');
  symlinkSync('..', path.join(root, 'a/up'));
  symlinkSync('../outside', path.join(root, 'a/beside'));
  symlinkSync('one', path.join(root, 'a/file-link'));
  symlinkSync('nowhere', path.join(root, 'a/dangling'));
  const inRoot = (file: string) => path.relative(root, file);

  expect(
    filesBelow(root, { skipped: ['node_modules'] })
      .map(inRoot)
      .sort(),
  ).toEqual(['a/b/two', 'a/one', 'outside/four', 'top']);
  const links = entriesBelow(root).filter((entry) => entry.isSymbolicLink());
  expect(links.map(({ name }) => name).sort()).toEqual(['beside', 'dangling', 'file-link', 'up']);
  expect(() => filesBelow(path.join(root, 'missing'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
