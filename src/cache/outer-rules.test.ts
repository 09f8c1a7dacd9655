import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { outerRules } from './outer-rules.ts';

test('in a worktree, the exclude file of its repository counts', async () => {
  const { root, home } = await workspace({
    'main/.git/info/exclude': '',
    'main/.git/worktrees/tree/commondir': '../..\n',
    'tree/.git': 'gitdir: ../main/.git/worktrees/tree\n',
  });
  const rules = () => outerRules({ root: path.join(root, 'tree'), home });
  const before = rules();
  expect(rules()).toBe(before);
  await writeFile(path.join(root, 'main/.git/info/exclude'), '*.log\n');
  expect(rules()).not.toBe(before);
});
