import { spawn } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { startFailure, startOrExplain } from './start-failure.ts';

const NOBODY = 65_534;

/** How a failed start is explained. As root, permissions need another user. */
function failureOf(command: string, { cwd, PATH }: { cwd: string; PATH: string }): Promise<string> {
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  return new Promise((resolve, reject) => {
    const start = () => spawn(command, [], { cwd, env: { PATH }, stdio: 'ignore', ...user });
    const child = startOrExplain(start, { cwd, command });
    child.once('error', (error) => resolve(startFailure(error, { cwd, command })));
    child.once('exit', () => reject(new Error('It was started.')));
  });
}

test.skipIf(process.platform === 'win32')('real failures are explained', async () => {
  const { root } = await workspace({ 'plain.txt': 'x\n', 'orphan.sh': '#!/no/such/interpreter\n' });
  await chmod(path.dirname(root), 0o755);
  await chmod(root, 0o755);
  await chmod(path.join(root, 'orphan.sh'), 0o755);
  const closed = path.join(root, 'closed');
  await mkdir(closed);
  await writeFile(path.join(closed, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  await chmod(closed, 0o000);
  const file = (name: string) => path.join(root, name);
  const gone = file('gone');
  const cases: [command: string, cwd: string, PATH: string, text: string][] = [
    ['no-such-tool', root, '/usr/bin', 'the program no-such-tool is not installed, or not in the PATH'],
    [gone, root, '/usr/bin', `the program ${gone} does not exist`],
    ['true', gone, '/usr/bin', `the folder ${gone} does not exist, or you may not enter it`],
    ['true', file('plain.txt'), '/usr/bin', `${file('plain.txt')} is not a folder`],
    [
      'tool',
      root,
      closed,
      'the program tool was not found in the folders of the PATH that you may enter, or it is not executable',
    ],
    [
      file('plain.txt'),
      root,
      '/usr/bin',
      `you may not run the program ${file('plain.txt')}: check its permissions and those of its folder`,
    ],
    [
      `${file('plain.txt')}/tool`,
      root,
      '/usr/bin',
      `the program ${file('plain.txt')}/tool does not exist: a part of its path is not a folder`,
    ],
    [
      './orphan.sh',
      root,
      '/usr/bin',
      'the program ./orphan.sh needs another one that does not exist: check its first line',
    ],
  ];
  for (const [command, cwd, PATH, text] of cases) {
    const said = await failureOf(command, { cwd, PATH }).catch((error: Error) => error.message);
    expect(said).toBe(text);
  }
  await chmod(closed, 0o755);
});

test.each([
  ['ENOEXEC', './tool is not a program for this system'],
  ['EPERM', 'the system does not let you run the program ./tool'],
  ['E2BIG', 'the arguments of the program ./tool are too long'],
  ['EAGAIN', 'the system has no room for another program (EAGAIN)'],
  ['EMFILE', 'the system has no room for another program (EMFILE)'],
  ['ELOOP', 'the program ./tool could not be started: spawn ./tool ELOOP'],
])('%s is explained', (code, text) => {
  const error = Object.assign(new Error(`spawn ./tool ${code}`), { code, path: './tool' });
  expect(startFailure(error, { cwd: '/' })).toBe(text);
});
