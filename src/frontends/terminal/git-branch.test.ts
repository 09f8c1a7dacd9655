import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { gitBranch } from './git-branch.ts';

test('shows the branch from any folder of the repository, also in a worktree', async () => {
  const { root } = await workspace({
    'main/.git/HEAD': 'ref: refs/heads/feature/login\n',
    'main/src/deep/a.ts': '',
    'main/.git/worktrees/w/HEAD': 'ref: refs/heads/other\n',
    'w/.git': 'gitdir: ../main/.git/worktrees/w\n',
  });

  expect(await gitBranch(path.join(root, 'main/src/deep'))).toBe('feature/login');
  expect(await gitBranch(path.join(root, 'w'))).toBe('other');
});

test('shows a short commit for a detached HEAD, and nothing for an invalid HEAD', async () => {
  const { root } = await workspace({
    'a/.git/HEAD': '0123456789abcdef0123456789abcdef01234567\n',
    'b/.git/HEAD': 'garbage\n',
  });

  expect(await gitBranch(path.join(root, 'a'))).toBe('0123456');
  expect(await gitBranch(path.join(root, 'b'))).toBeNull();
});
