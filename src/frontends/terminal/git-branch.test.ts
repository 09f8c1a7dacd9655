import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { gitBranch } from './git-branch.ts';

test('tells the branch from any folder of the repository, in a worktree too', async () => {
  const { root } = await workspace({
    'main/.git/HEAD': 'ref: refs/heads/feature/login\n',
    'main/src/deep/a.ts': '',
    'main/.git/worktrees/w/HEAD': 'ref: refs/heads/other\n',
    'w/.git': 'gitdir: ../main/.git/worktrees/w\n',
  });

  expect(await gitBranch(path.join(root, 'main/src/deep'))).toBe('feature/login');
  expect(await gitBranch(path.join(root, 'w'))).toBe('other');
});

test('tells a short commit where no branch is checked out, and nothing where HEAD makes no sense', async () => {
  const { root } = await workspace({
    'a/.git/HEAD': '0123456789abcdef0123456789abcdef01234567\n',
    'b/.git/HEAD': 'garbage\n',
  });

  expect(await gitBranch(path.join(root, 'a'))).toBe('0123456');
  expect(await gitBranch(path.join(root, 'b'))).toBeNull();
});
