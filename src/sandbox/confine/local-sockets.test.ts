import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { noBubblewrap, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { createSocketSearch } from './local-sockets.ts';

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

async function listening(file: string): Promise<void> {
  const server = createServer((client) => client.end('reached'));
  await new Promise<void>((resolve) => server.listen(file, resolve));
  onTestFinished(() => void server.close());
}

/** A socket without a listener: its server was killed. */
async function abandoned(file: string): Promise<void> {
  const script = `require('net').createServer().listen(${JSON.stringify(file)}, () => console.log('up'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  expect(existsSync(file)).toBe(true);
}

const client = (file: string) =>
  `${process.execPath} -e "require('net').connect('${file}').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))"`;

test.each(['strict', 'standard', 'permissive'] as const)(
  'a command cannot reach sockets in the project or the home folder (%s)',
  async (level) => {
    const space = await workspace({ 'a/b/x': '', 'deep/1/2/3/4/5/x': '' });
    const { root, home } = space;
    await mkdir(path.join(home, '.cache'));
    const sockets = ['agent.sock', 'a/b/docker.sock', 'deep/1/2/3/4/5/s'].map((file) =>
      path.join(root, file),
    );
    const atHome = path.join(home, '.cache/editor.sock');
    for (const file of [...sockets, atHome]) await listening(file);
    const { run } = sandboxedShellIn(space, { level: () => level });
    for (const file of sockets) {
      const { stdout } = await run(client(file));
      expect([file, stdout]).toEqual([file, 'ECONNREFUSED\n']);
    }
    expect((await run(client(atHome))).stdout).toBe('ENOENT\n');
  },
  60_000,
);

test('a socket without a listener is left alone: a server can start there again', async () => {
  const space = await workspace();
  await abandoned(path.join(space.root, 'old.sock'));
  const { run } = sandboxedShellIn(space);
  const script = `rm old.sock && ${process.execPath} -e "const s = require('net').createServer().listen('old.sock', () => { console.log('up'); s.close(); })"`;
  expect(await run(script)).toMatchObject({ stdout: 'up\n', exitCode: 0 });
});

test('a socket from another network namespace is detected by connecting, once', async () => {
  const space = await workspace();
  const file = path.join(space.root, 's');
  // Another network namespace is not in the kernel's list for ours.
  const script = `require('net').createServer((c) => c.end('reached')).listen(${JSON.stringify(file)}, () => console.log('up'))`;
  const program = 'bwrap';
  const child = spawn(program, ['--unshare-net', '--dev-bind', '/', '/', process.execPath, '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  expect(await createSocketSearch()([file])).toContain(file);
  const { run } = sandboxedShellIn(space);
  expect((await run(client(file))).stdout).toBe('ECONNREFUSED\n');
});

test('its own sockets work', async () => {
  const { run } = sandboxedShellIn(await workspace());
  const script = `const n = require('net'); const s = n.createServer((c) => c.end('mine')).listen('own.sock', () => n.connect('own.sock').on('data', (d) => { console.log(String(d)); s.close(); }))`;
  expect((await run(`${process.execPath} -e "${script}"`)).stdout).toBe('mine\n');
});
