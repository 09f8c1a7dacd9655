import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { projectFiles } from './project-files.ts';

test('lists what is in the project, hidden files too, and leaves out what is ignored', async () => {
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
