import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { aca } from '../support/aca.ts';
import { isInstalled } from '../support/on-path.ts';
import { soak, sweep } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const UNIT = '.config/systemd/user/aca-serve.service';

/** A folder for PATH with a `systemctl` that notes its calls, and then does what the script says. */
async function systemctl({ home }: Workspace, script: string) {
  const folder = path.join(home, 'systemd-bin');
  const notes = path.join(home, 'systemctl.log');
  await mkdir(folder);
  await writeFile(path.join(folder, 'systemctl'), `#!/bin/sh\necho "$*" >> '${notes}'\n${script}\n`);
  await chmod(path.join(folder, 'systemctl'), 0o755);
  const calls = async () => (await readFile(notes, 'utf8').catch(() => '')).trim().split('\n');
  return { PATH: [folder, process.env.PATH].join(path.delimiter), calls };
}

const unitOf = ({ home }: Workspace) => readFile(path.join(home, UNIT), 'utf8').catch(() => null);

/** As systemd does it: runs the command of the unit with its variables only, and stops it with SIGTERM. */
const RUNS = `
unit="$HOME/${UNIT}"
pid="$HOME/aca-serve.pid"
case "$2" in
  is-active) kill -0 "$(cat "$pid" 2>/dev/null)" 2>/dev/null || exit 3 ;;
  enable)
    line="$(sed -n 's/^Environment=//p' "$unit" | tr '\\n' ' ') $(sed -n 's/^ExecStart=//p' "$unit")"
    setsid env -i HOME="$HOME" sh -c "cd; exec env $line" > /dev/null 2>&1 &
    echo $! > "$pid" ;;
  disable)
    kill -TERM "$(cat "$pid")"
    while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.05; done ;;
esac
`;

test(
  '--install runs the server by a unit with the same flags, and --uninstall stops and removes it',
  soak,
  async () => {
    const space = await workspace();
    const { PATH, calls } = await systemctl(space, RUNS);
    const env = { PATH };
    const flags = ['--listen', '127.0.0.1:0', '--mode', 'plan', '--allow', 'Bash(echo "100%" $HOME)'];

    const installed = await aca(space, ['serve', '--install', ...flags], { env });

    expect(installed).toMatchObject({ code: 0, stderr: '' });
    expect(installed.stdout).toContain(`Written: ${path.join(space.home, UNIT)}\nThe server runs now`);
    expect(await unitOf(space)).toContain(`--mode plan --allow "Bash(echo \\"100%%\\" $$HOME)"`);
    await expect
      .poll(async () => (await aca(space, ['serve', '--status'], { env })).stdout, { timeout: 30_000 })
      .toMatch(/^http:\/\/127\.0\.0\.1:\d+, process \d+/);
    const removed = await aca(space, ['serve', '--uninstall'], { env });
    expect(removed).toMatchObject({ code: 0, stderr: '' });
    expect(removed.stdout).toContain('The server has stopped.');
    expect(await unitOf(space)).toBeNull();
    expect((await aca(space, ['serve', '--status'], { env })).stdout).toContain('No server is running.');
    expect(await calls()).toEqual([
      '--user is-active aca-serve.service',
      '--user daemon-reload',
      '--user enable --now aca-serve.service',
      '--user is-active aca-serve.service',
      '--user disable --now aca-serve.service',
      '--user daemon-reload',
    ]);
  },
);

test('systemd accepts the unit', soak, async ({ skip }) => {
  if (!isInstalled('systemd-analyze')) skip('systemd is not installed');
  const space = await workspace();
  const { PATH } = await systemctl(space, 'test "$2" != is-active');
  await aca(space, ['serve', '--install', '--deny', "Bash(rm *; 'x' $PATH %h)"], { env: { PATH } });

  const { stderr } = await promisify(execFile)(
    'systemd-analyze',
    ['verify', '--user', '--man=no', path.join(space.home, UNIT)],
    { env: { ...process.env, XDG_RUNTIME_DIR: space.home } },
  );

  expect(stderr.split('\n').filter((line) => line.includes('aca-serve'))).toEqual([]);
});

const NO_BUS = 'echo "Failed to connect to bus: No medium found" >&2; exit 1';

sweep<[what: string, script: string | null, args: string[], stderr: RegExp | '', stdout: RegExp | '']>([
  ['there is no systemd', null, ['--install'], /no systemd on this machine.*\n.*serve >> /, ''],
  [
    'systemd does not answer',
    NO_BUS,
    ['--install'],
    /Failed to connect to bus: No medium found\./,
    /^Written/,
  ],
  ['nothing was installed', NO_BUS, ['--uninstall'], '', /^There is no unit/],
])('%s: it says so, and what to do', async (_what, script, args, stderr, stdout) => {
  const space = await workspace();
  const PATH = script === null ? space.home : (await systemctl(space, script)).PATH;

  const told = await aca(space, ['serve', ...args], { env: { PATH } });

  expect(told.code === 0).toBe(stderr === '');
  expect(told.stderr).toMatch(stderr);
  expect(told.stdout).toMatch(stdout);
  expect((await unitOf(space)) !== null).toBe(told.stdout.startsWith('Written'));
});
