import { execFileSync } from 'node:child_process';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Files that some option of some program would write, run or read. */
const FILES: Readonly<Record<string, string>> = {
  'project/a.txt': 'hunter\none two\n',
  'project/b.txt': 'three\n',
  'project/data.json': '{"a": 1}\n',
  'project/zero': '0\n',
  'project/list': '.env ../outside.txt\n',
  'project/x.sh': '#!/bin/sh\ntouch RAN\n',
  'project/0/ls': '#!/bin/sh\ntouch RAN\n',
  'project/0/.gitconfig': '[diff]\n\texternal = ./x.sh\n',
  'project/0/git': '#!/bin/sh\ntouch RAN\n',
  'project/sub/a.txt': 'other\n',
  'project/sub/.env': 'KEY=hunter\n',
  'project/.env': 'KEY=hunter\n',
  'project/only/--files0-from=.env': '',
  'project/only/.env': 'KEY=hunter\n',
  'outside.txt': 'hunter\n',
  'home/.netrc': 'machine x password hunter\n',
};

/** A repository full of bait, and a copy of it to run lines in. */
export async function bait(
  folder: string,
): Promise<{ pristine: string; base: string; cwd: string; home: string }> {
  const pristine = path.join(folder, 'pristine');
  const base = path.join(folder, 'copy');
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(path.dirname(path.join(pristine, name)), { recursive: true });
    await writeFile(path.join(pristine, name), text);
  }
  for (const name of ['x.sh', '0/ls', '0/git']) await chmod(path.join(pristine, 'project', name), 0o755);
  const cwd = path.join(pristine, 'project');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid', ...args], {
      cwd,
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  git('add', 'a.txt', 'b.txt', 'sub/a.txt');
  git('commit', '-q', '-m', 'one');
  await writeFile(path.join(cwd, 'a.txt'), 'hunter\nchanged\n');
  git('commit', '-q', '-a', '-m', 'two');
  // A submodule with settings of its own, which git obeys when it looks inside.
  git('clone', '-q', '.', 'mod');
  git('add', 'mod');
  git('commit', '-q', '-m', 'three');
  git('-C', 'mod', 'config', 'filter.x.clean', '../x.sh');
  await writeFile(path.join(cwd, 'mod/.git/info/attributes'), '* filter=x\n');
  await writeFile(path.join(cwd, 'mod/a.txt'), 'hunter\nonce more\n');
  await writeFile(path.join(cwd, 'b.txt'), 'changed\n');
  await cp(pristine, base, { recursive: true, preserveTimestamps: true });
  return { pristine, base, cwd: path.join(base, 'project'), home: path.join(base, 'home') };
}
