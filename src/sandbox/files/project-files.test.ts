import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { projectFiles } from './project-files.ts';

test("lists the project's files, including hidden ones, without ignored ones", async () => {
  const { root } = await workspace({
    '.gitignore': 'dist\n',
    'dist/x.js': '',
    'src/a.ts': '',
    '.github/ci.yml': '',
    '.git/HEAD': 'ref: refs/heads/main\n',
  });

  const paths = await projectFiles(root, AbortSignal.timeout(10_000));

  expect(paths.sort()).toEqual(['.github/ci.yml', '.gitignore', 'src/a.ts']);
});
