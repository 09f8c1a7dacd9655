import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { repositoryRoot } from './repository-root.ts';

test('the nearest parent folder with .git, as a folder or a file', async () => {
  const { root } = await workspace({
    '.git/HEAD': 'x',
    'pkg/app/a.ts': '',
    'tree/.git': 'gitdir: elsewhere',
    'tree/src/a.ts': '',
  });
  expect(repositoryRoot(path.join(root, 'pkg/app'))).toBe(root);
  expect(repositoryRoot(path.join(root, 'tree/src'))).toBe(path.join(root, 'tree'));
});

test('without one, the folder itself', async () => {
  const { root } = await workspace();
  await mkdir(path.join(root, 'a'));
  expect(repositoryRoot(path.join(root, 'a'))).toBe(path.join(root, 'a'));
});
