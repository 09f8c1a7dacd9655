import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { gitDirs } from './git-dirs.ts';

test('the git folder of a repository, a worktree, a submodule, and of a `.git` that names none', async () => {
  const { root } = await workspace({
    'main/.git/HEAD': '',
    'main/.git/worktrees/tree/commondir': '../..\n',
    'main/.git/modules/lib/HEAD': '',
    'main/lib/.git': 'gitdir: ../.git/modules/lib\n',
    'tree/.git': 'gitdir: ../main/.git/worktrees/tree\n',
    'odd/.git': 'nothing\n',
  });
  const dirs = (folder: string) => gitDirs(path.join(root, folder)).map((dir) => path.relative(root, dir));
  expect(dirs('main')).toEqual(['main/.git']);
  expect(dirs('tree')).toEqual(['main/.git/worktrees/tree', 'main/.git']);
  expect(dirs('main/lib')).toEqual(['main/.git/modules/lib']);
  expect(dirs('odd')).toEqual(['odd/.git']);
});
