import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CallWords } from './model-server/script.ts';
import { type Workspace, workspace } from './workspace.ts';

/** A project, and a folder next to it that is not part of it. */
export async function placeWithOutside(): Promise<Workspace & { out: string }> {
  const space = await workspace({ 'a.txt': 'alpha\n', '.env': 'TOKEN=canary\n' });
  const out = path.join(path.dirname(space.root), 'outside');
  await mkdir(path.join(out, 'deep'), { recursive: true });
  for (const name of ['read.txt', 'edit.txt', 'multi.txt', 'gone.txt', "it's (1) [a].txt"])
    await writeFile(path.join(out, name), 'alpha\n');
  await writeFile(path.join(out, 'deep/found.txt'), 'needle\n');
  await writeFile(path.join(out, 'book.ipynb'), JSON.stringify({ cells: [], nbformat: 4, metadata: {} }));
  await symlink(path.join(out, 'read.txt'), path.join(space.root, 'link.txt'));
  await symlink(out, path.join(space.root, 'folder'));
  return { ...space, out };
}

export type Kind = 'read' | 'write' | 'execute';

/** Every tool that takes a path, on paths that are outside by name or by symlink. */
export function outsideCalls(out: string): [Kind, CallWords][] {
  return [
    ['read', ['Read', { file_path: path.join(out, 'read.txt') }]],
    ['read', ['Read', { file_path: path.join(out, "it's (1) [a].txt") }]],
    ['read', ['Read', { file_path: '../outside/book.ipynb' }]],
    ['read', ['Read', { file_path: 'link.txt' }]],
    ['read', ['Read', { file_path: 'folder/deep/found.txt' }]],
    ['read', ['List', { path: out }]],
    ['read', ['Glob', { pattern: '**/*.txt', path: out }]],
    ['read', ['Grep', { pattern: 'needle', path: path.join(out, 'deep') }]],
    ['read', ['Search', { query: 'needle', path: out }]],
    ['write', ['Write', { file_path: path.join(out, 'new/made.txt'), content: 'made\n' }]],
    ['write', ['Edit', { file_path: path.join(out, 'edit.txt'), old_string: 'alpha', new_string: 'beta' }]],
    [
      'write',
      [
        'MultiEdit',
        {
          edits: [{ file_path: path.join(out, 'multi.txt'), old_string: 'alpha', new_string: 'beta' }],
        },
      ],
    ],
    ['write', ['Delete', { file_path: path.join(out, 'gone.txt') }]],
    ['execute', ['Bash', { command: `cat ${path.join(out, 'read.txt')}` }]],
    ['execute', ['Bash', { command: 'cat ../outside/deep/found.txt | head -1' }]],
    ['execute', ['Bash', { command: 'ls', working_directory: out }]],
  ];
}
