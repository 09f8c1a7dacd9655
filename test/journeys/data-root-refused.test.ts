import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { dataRootOf } from '../support/crash/program.ts';
import { noMount, smallDisk } from '../support/crash/small-disk.ts';
import { workspace } from '../support/workspace.ts';

const commands = [
  ['config', 'set', 'theme', 'dark'],
  ['mcp', 'add', 'files', 'npx', 'server'],
];

test.for(commands)('aca %s %s says that the data root cannot be written, and why', async (args, { skip }) => {
  if (noMount !== null) skip(noMount);
  const space = await workspace({ '.ai-assistant.json': '{"theme":"dark"}' });
  const root = dataRootOf(space);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const disk = smallDisk(root, 1024 ** 2);
  execFileSync('chmod', ['700', root]);
  writeFileSync(path.join(root, 'config.json'), '{}');
  disk.readOnly();
  const ran = await aca(space, args);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/^\S+ cannot be opened or written: the file system is read-only\.\n/);
  expect(ran.stderr).not.toContain('This is a bug');
});

test('without a home folder, the program says so', async ({ skip }) => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    skip('only root on Linux can run as a user that the system does not know');
  const space = await workspace();
  const main = path.resolve('dist/main.cjs');
  const run = (env: Record<string, string>) =>
    spawnSync('setpriv', ['--reuid=54321', '--clear-groups', process.execPath, main, 'keys', 'list'], {
      cwd: '/',
      env,
      encoding: 'utf8',
    });
  expect(run({})).toMatchObject({
    status: 2,
    stdout: '',
    stderr: 'No home folder found.\nSet HOME or AI_ASSISTANT_HOME.\n',
  });
  execFileSync('chmod', ['-R', '777', path.dirname(space.home)]);
  expect(run({ AI_ASSISTANT_HOME: path.join(space.home, 'data') })).toMatchObject({ status: 0 });
});
