import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { noBubblewrap, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { safeGitEnvironment } from '../../lib/paths/safe-git.ts';

const hasLandlock =
  spawnSync('/usr/bin/perl', ['-e', 'exit(syscall(444, 0, 0, 1) >= 2 ? 0 : 1)']).status === 0;
const hasPython = spawnSync('/usr/bin/python3', ['--version']).status === 0;

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
  if (!hasLandlock) skip('needs Landlock and Perl');
});

/** A named pipe that another program reads. */
async function readPipe(file: string): Promise<() => Promise<string>> {
  execFileSync('sh', ['-c', 'mkfifo "$0"', file]);
  const reader = spawn('cat', [file]);
  onTestFinished(() => void reader.kill('SIGKILL'));
  let text = '';
  reader.stdout.on('data', (chunk) => {
    text += chunk;
  });
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return text;
  };
}

describe('a named pipe', () => {
  test.each([
    ['echo x > PIPE'],
    ['echo x 1<> PIPE'],
    ['echo x >> PIPE'],
    ['dd if=/etc/hostname of=PIPE'],
    ['ln -s PIPE link; echo x > link'],
    ['cd "$(dirname PIPE)" && echo x > "$(basename PIPE)"'],
  ])('outside the project cannot be written: %s', async (command) => {
    const space = await workspace();
    // Visible in the sandbox, and nothing of it is writable.
    const folder = '/var/lib/aca-test-pipes';
    await mkdir(folder, { recursive: true });
    const pipe = path.join(folder, `pipe-${path.basename(path.dirname(space.root))}`);
    onTestFinished(() => execFileSync('rm', ['-f', pipe]) && undefined);
    const read = await readPipe(pipe);
    const { run } = sandboxedShellIn(space);
    const outcome = await run(command.replaceAll('PIPE', pipe), { timeoutMs: 5_000 });
    expect(outcome).toMatchObject({ exitCode: expect.any(Number), timedOut: false });
    expect(outcome.exitCode).not.toBe(0);
    expect(await read()).toBe('');
  });

  test('in the project works', async () => {
    const space = await workspace();
    const read = await readPipe(path.join(space.root, 'pipe'));
    const { run } = sandboxedShellIn(space);
    expect((await run('echo inside > pipe')).exitCode).toBe(0);
    expect(await read()).toBe('inside\n');
  });
});

test('temporary files, devices, standard streams and what the project has stay writable', async () => {
  const space = await workspace({ 'a.txt': 'a\n' });
  const { run } = sandboxedShellIn(space);
  const lines = [
    ...['echo 1 > /tmp/t', 'echo 2 > /dev/shm/s', 'echo 3 > /var/tmp/v', 'echo 4 > /dev/null'],
    ...['echo out', 'echo err >&2', 'echo 5 >> a.txt', 'mkdir -p d/e && echo 6 > d/e/f'],
    ...['mkdir x && mv d/e/f x/g && ln x/g d/h && mv x d/', 'mv /tmp/t t && rm t'],
    ...['cat <(echo sub)', 'mkfifo p && { echo 7 > p & cat p; }', 'exec 9> lock && flock 9'],
  ];
  expect(await run(lines.join(' && '))).toMatchObject({
    exitCode: 0,
    stdout: 'out\nsub\n7\n',
    stderr: 'err\n',
  });
  expect(await readFile(path.join(space.root, 'a.txt'), 'utf8')).toBe('a\n5\n');
});

test.skipIf(!hasPython)(
  "the sandbox's init cannot be traced or stopped, so a command ends when it ends",
  async () => {
    const script = `
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
for request in (16, 0x4206):
  print(libc.ptrace(request, 1, None, None), ctypes.get_errno())
os.kill(1, signal.SIGSTOP)
`;
    const space = await workspace({ 'trace.py': script });
    const { run } = sandboxedShellIn(space);
    expect(await run('/usr/bin/python3 trace.py', { timeoutMs: 15_000 })).toMatchObject({
      stdout: '-1 1\n-1 1\n',
      timedOut: false,
      exitCode: 0,
    });
  },
);

describe('without a sandbox, a command that only reads', () => {
  const changes = [
    'echo x > a.txt',
    'echo x >> a.txt',
    ': > a.txt',
    'echo x > new',
    'echo x > "$HOME/new"',
    'echo x > /tmp/aca-landlock-test',
    'rm -f a.txt; test ! -e a.txt',
    'mv a.txt b.txt',
    'mkdir folder',
    'ln -s a.txt link',
    'ln a.txt hard',
    'mkfifo pipe',
    'git log --pretty --output=made --format=%B -1; test -s made',
    'xxd -ps a.txt made; test -e made',
    'bash -c "echo x > new"',
    'sh write.sh; test -e made',
  ];
  test.each(changes)('changes nothing: %s', async (command) => {
    const space = await workspace({ 'a.txt': 'a\n', 'write.sh': 'touch made\n' });
    execFileSync('git', ['init', '-q'], { cwd: space.root });
    const before = await space.tree();
    const { run } = sandboxedShellIn(space, { kind: 'off' });
    const { exitCode } = await run(command, { onlyReads: true });
    expect(exitCode).not.toBe(0);
    expect(await space.tree()).toEqual(before);
    expect(existsSync(path.join(space.home, 'new'))).toBe(false);
  });

  test('reads and prints as always; others write as always', async () => {
    const space = await workspace({ 'a.txt': 'a\n' });
    const { run } = sandboxedShellIn(space, { kind: 'off' });
    const line = 'cat a.txt | tr a b > /dev/stderr; grep -c a a.txt 2> /dev/null; kill -TERM $$';
    expect(await run(line.replace('/dev/stderr', '/dev/null'), { onlyReads: true })).toMatchObject({
      stdout: '1\n',
      stderr: '',
      signal: 'SIGTERM',
    });
    expect(await run('echo x > new && cat new')).toMatchObject({ stdout: 'x\n', exitCode: 0 });
  });
});

const hasLargeFiles = spawnSync('git', ['lfs', 'version']).status === 0;

test.skipIf(!hasLargeFiles).each(['auto', 'off'] as const)(
  'git shows changed files of Git LFS to a command that only reads, sandbox %s',
  async (kind) => {
    const space = await workspace({ 'a.bin': 'a' });
    const env = { PATH: process.env.PATH ?? '', HOME: space.home, GIT_CONFIG_NOSYSTEM: '1' };
    const git = (...args: string[]) => execFileSync('git', args, { cwd: space.root, env, stdio: 'pipe' });
    git('init', '-q');
    git('lfs', 'install', '--local');
    git('lfs', 'track', '*.bin');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one');
    await writeFile(path.join(space.root, 'a.bin'), 'b');
    const { run } = sandboxedShellIn(space, { kind });
    expect(await run('git status --short', { onlyReads: true, env: safeGitEnvironment() })).toMatchObject({
      stdout: ' M a.bin\n',
      exitCode: 0,
    });
  },
);
