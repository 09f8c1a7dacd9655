import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleScript } from '../../../test/support/bundle-script.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { busAddress, secretServiceProblem } from './dbus-secrets.ts';

describe('the address of the session bus', () => {
  test.each([
    [{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1/bus,guid=ab' }, '/run/user/1/bus'],
    [{ DBUS_SESSION_BUS_ADDRESS: 'unix:guid=ab,path=/a%20b' }, '/a b'],
    [{ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=x;unix:abstract=/tmp/dbus-x' }, '\0/tmp/dbus-x'],
    [{ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=x', XDG_RUNTIME_DIR: '/run/user/1' }, null],
    [{ XDG_RUNTIME_DIR: '/run/user/1' }, '/run/user/1/bus'],
    [{}, null],
  ])('of %j is %j', (env, expected) => {
    expect(busAddress(env)).toBe(expected);
  });
});

describe.runIf(process.platform === 'linux')('an unusable bus', () => {
  test.each([
    [{}, 'there is no D-Bus session'],
    [
      { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' },
      'could not reach the secret service: connect ENOENT /nowhere/bus',
    ],
  ])('%j is reported', async (env, reason) => {
    expect(await secretServiceProblem(env, 1000)).toBe(reason);
  });

  test.each([
    ['never answers', '', 200, 'could not reach the secret service: the secret service is not responding'],
    ['refuses the user', 'REJECTED EXTERNAL\r\n', 20_000, 'the D-Bus session rejected this user'],
  ])('one that %s is left within the limit', async (_, greeting, limitMs, reason) => {
    const { root } = await workspace();
    const socket = path.join(root, 'bus');
    const server = createServer((connection) => connection.write(greeting)).listen(socket);
    onTestFinished(() => void server.close());

    const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` };
    expect(await secretServiceProblem(env, limitMs)).toBe(reason);
  });
});

const programOf = (name: string) =>
  ['/usr/bin', '/bin'].map((folder) => path.join(folder, name)).find((file) => existsSync(file));
const missing = ['dbus-run-session', 'gnome-keyring-daemon', 'dbus-test-tool'].filter(
  (name) => programOf(name) === undefined,
);
if (missing.length > 0) {
  process.stderr.write(`Skipped: the tests of a real secret service need ${missing.join(' and ')}.\n`);
}

/** Runs our key store in a separate process, because the native library binds itself to one bus for good. */
describe.runIf(missing.length === 0)('[N12] a real secret service', () => {
  async function play(prelude: string): Promise<{ home: string; outcome: unknown }> {
    const { root, home } = await workspace();
    const file = path.resolve('node_modules/.cache', `keychain-${path.basename(path.dirname(root))}.mjs`);
    await bundleScript('test/support/use-keychain.ts', file);
    onTestFinished(() => rm(file, { force: true }));

    const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: root, DISPLAY: '', WAYLAND_DISPLAY: '' };
    const script = `${prelude}\n"$NODE" "$FILE" "$HOME"`;
    const child = spawn(programOf('dbus-run-session') ?? '', ['--', 'sh', '-c', script], {
      env: { ...env, NODE: process.execPath, FILE: file },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 20_000,
    });
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk);
    const line = Buffer.concat(chunks)
      .toString()
      .split('\n')
      .find((one) => one.startsWith('{'));
    return { home, outcome: JSON.parse(line ?? 'null') };
  }

  const unlock = 'printf pw | gnome-keyring-daemon --unlock --components=secrets >&2';

  test('stores, finds, lists and removes a key', async () => {
    const { outcome } = await play(unlock);
    expect(outcome).toEqual({
      stored: { where: 'system keychain' },
      found: { key: 'sk-ant-0123456789', source: 'system keychain' },
      listed: [{ provider: 'anthropic', masked: '…6789', where: 'system keychain' }],
      removed: true,
      after: null,
      quick: true,
    });
  });

  const lock = `${unlock}
    dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \\
      org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >&2`;

  const bus = 'dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus';
  const begin = `${bus}.StartServiceByName string:org.freedesktop.secrets uint32:0 >&2`;
  const deaf = `dbus-test-tool black-hole --name=org.freedesktop.secrets &
    until ${bus}.NameHasOwner string:org.freedesktop.secrets | grep -q true; do sleep 0.05; done`;

  test.each([
    ['that has no keyring yet', begin, 'there is no default keyring'],
    ['that is locked', lock, 'the keyring is locked'],
    ['that never answers', deaf, 'could not reach the secret service: the secret service is not responding'],
  ])('%s leaves the key to the private file, without a hang', async (_, prelude, because) => {
    const { home, outcome } = await play(prelude);
    const file = path.join(home, 'credentials.json');
    expect(outcome).toEqual({
      stored: { where: file, because },
      found: { key: 'sk-ant-0123456789', source: file },
      listed: [{ provider: 'anthropic', masked: '…6789', where: file }],
      removed: true,
      after: null,
      quick: true,
    });
  });
});
