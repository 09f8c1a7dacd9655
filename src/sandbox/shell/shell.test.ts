import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRunning, pidIn } from '../../../test/support/processes.ts';
import { soak, sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { CommandRun } from '../../contract/tool.ts';
import { createGuard } from '../guard.ts';
import { createShell } from './shell.ts';
import type { ShellOptions } from './start-command.ts';

async function shellIn(files: Record<string, string> = {}, options: Partial<ShellOptions> = {}) {
  const { root, home } = await workspace(files);
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
    home,
  });
  const shell = createShell({ cwd: root, env: { PATH: process.env.PATH }, guard, ...options });
  onTestFinished(() => shell.close());
  const run = (command: string, more: Partial<CommandRun> = {}) =>
    shell.run({ command, timeoutMs: 20_000, signal: new AbortController().signal, ...more });
  return { root, shell, run };
}

describe('[T11] a command', () => {
  test('gets its standard input, and need not read it', async () => {
    const { run } = await shellIn();
    const long = 'x'.repeat(300_000);
    expect((await run('wc -c', { input: long })).stdout.trim()).toBe('300000');
    expect(await run('exit 4', { input: long })).toMatchObject({ exitCode: 4, stderr: '' });
    expect((await run('cat; echo end')).stdout).toBe('end\n');
  });

  test("does not run the user's startup files, though it has an input", async () => {
    const { root, run } = await shellIn({ '.bashrc': 'touch sourced; echo sourced\n' });
    const { stdout } = await run('bash -c true; cat', { input: 'in', env: { HOME: root } });
    expect(stdout).toBe('in');
    await expect(readFile(path.join(root, 'sourced'))).rejects.toThrow('ENOENT');
  });

  test('returns both streams and its exit code', async () => {
    const { run } = await shellIn();
    const { durationMs, ...outcome } = await run('echo out; echo err >&2; exit 3');
    expect(outcome).toEqual({
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 3,
      signal: null,
      timedOut: false,
      sandbox: { kind: 'host', level: 'permissive', network: 'open' },
    });
    expect(durationMs).toBeGreaterThan(0);
  });

  test('runs in the working directory, or in a folder within it, and nowhere else', async () => {
    const { root, run } = await shellIn({ 'sub/a': '' });
    expect((await run('pwd')).stdout).toBe(`${root}\n`);
    expect((await run('pwd', { cwd: 'sub' })).stdout).toBe(`${root}/sub\n`);
    await expect(run('pwd', { cwd: '/etc' })).rejects.toThrow(/Permission denied: read \/etc/);
  });

  describe('is refused if the working directory', () => {
    const swaps: [what: string, swap: (root: string, away: string) => Promise<void>, words: string][] = [
      [
        'is a link to another folder',
        async (root) => {
          await mkdir(`${root}-other`);
          await symlink(`${root}-other`, root);
        },
        'it now resolves to ROOT-other',
      ],
      [
        'is a link to where it was moved',
        (root, away) => symlink(away, root),
        'it now resolves to ROOT-away',
      ],
      ['is another folder', async (root) => void (await mkdir(root)), 'it was replaced by another folder'],
      ['is a file', (root) => writeFile(root, ''), 'it is no longer a folder'],
      ['is a link to itself', (root) => symlink(root, root), 'it is no longer a folder'],
      ['is gone', async () => undefined, 'it is no longer a folder'],
    ];
    test.each(swaps)('%s, and runs again once it is back', async (_what, swap, words) => {
      const { root, run, shell } = await shellIn();
      const away = `${root}-away`;
      const refusal = `Permission denied: run a command in ${root} (${words.replace('ROOT', root)}; ask the user to restore it or to start a new session)`;
      expect((await run('echo before')).stdout).toBe('before\n');
      await rename(root, away);
      await swap(root, away);
      await expect(run('touch made')).rejects.toThrow(refusal);
      await expect(shell.start({ command: 'touch made' })).rejects.toThrow(refusal);
      await rm(root, { recursive: true, force: true });
      await rename(away, root);
      expect((await run('ls')).stdout).toBe('');
    });
  });

  test('that reads input gets end of file instead of waiting', async () => {
    const { run } = await shellIn();
    expect(await run('read -r line; echo "status $?"; cat; : < /dev/tty')).toMatchObject({
      stdout: 'status 1\n',
      exitCode: 1,
      timedOut: false,
    });
  });

  test('sees no keys, no colours, no pager and no startup script', async () => {
    const { root } = await workspace({ 'rc.sh': 'echo sourced' });
    const { run } = await shellIn(
      {},
      {
        env: {
          PATH: process.env.PATH,
          MINE: 'kept',
          ANTHROPIC_API_KEY: 'canary',
          FORCE_COLOR: '1',
          PAGER: 'less',
          BASH_ENV: path.join(root, 'rc.sh'),
        },
        hiddenEnv: ['ANTHROPIC_API_KEY'],
      },
    );
    const { stdout } = await run('env | grep -vE "^(PWD|SHLVL|_|OLDPWD|PATH|AI_ASSISTANT_COMMAND)=" | sort');
    expect(stdout.trim().split('\n')).toEqual([
      'GH_PAGER=cat',
      'GIT_EDITOR=true',
      'GIT_PAGER=cat',
      'GIT_TERMINAL_PROMPT=0',
      'MANPAGER=cat',
      'MINE=kept',
      'NO_COLOR=1',
      'PAGER=cat',
      'SSH_ASKPASS_REQUIRE=never',
      'SYSTEMD_PAGER=cat',
      'TERM=dumb',
    ]);
  });

  test('ended by its own signal reports which', async () => {
    const { run } = await shellIn();
    expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: null, signal: 'SIGSEGV', timedOut: false });
  });

  test('streams its output, without splitting characters', async () => {
    const { run } = await shellIn();
    const heard: string[] = [];
    const { stdout } = await run("printf '\\342\\202'; sleep 0.2; printf '\\254 euro'", {
      onOutput: (text) => heard.push(text),
    });
    expect(heard).toEqual(['€ euro']);
    expect(stdout).toBe('€ euro');
  });

  test('that floods is cut in the middle: memory holds 10 MB', async () => {
    const { run } = await shellIn();
    const { stdout, exitCode } = await run('echo first; yes | head -c 50000000; echo last');
    expect(exitCode).toBe(0);
    expect(stdout.length).toBeLessThan(10 * 1024 * 1024 + 100);
    expect(stdout.length).toBeGreaterThan(9 * 1024 * 1024);
    expect(stdout.slice(0, 10)).toBe('first\ny\ny\n');
    expect(stdout.slice(-9)).toBe('y\ny\nlast\n');
    expect(stdout).toContain(`\n... [${50_000_011 - 10 * 1024 * 1024} bytes omitted] ...\n`);
  });

  test('[Y18] an unwritable folder loses the file, not the command', async () => {
    const { root } = await workspace({ 'in-the-way': '' });
    const { run } = await shellIn({}, { outputFolder: path.join(root, 'in-the-way', 'outputs') });
    const outcome = await run('yes | head -c 30000000');
    expect(outcome).toMatchObject({ exitCode: 0, signal: null });
    expect(outcome.fullOutput).toBeUndefined();
    expect(outcome.stderr).toMatch(/^\n\[The saved output is incomplete: ENOTDIR.*\]\n$/);
  });

  test('in a missing folder is a clear error', async () => {
    const { run } = await shellIn();
    await expect(run('pwd', { cwd: 'nowhere' })).rejects.toThrow(/Could not start the shell/);
  });
});

describe('[L10] ending a command', () => {
  test('a child that ignores TERM is killed together with its children', soak, async () => {
    const { root, run } = await shellIn({
      'deaf.sh': `trap '' TERM\n(trap '' TERM; echo $BASHPID > child.pid; while :; do sleep 0.1; done) &\necho started; wait; while :; do sleep 0.1; done`,
    });
    const started = Date.now();
    const outcome = await run('bash deaf.sh', { timeoutMs: 3_000 });
    const took = Date.now() - started;
    expect(outcome).toMatchObject({ stdout: 'started\n', exitCode: null, signal: 'SIGKILL', timedOut: true });
    expect(took).toBeGreaterThan(3_900);
    expect(took).toBeLessThan(100_000);
    expect(await isRunning(await pidIn(path.join(root, 'child.pid')))).toBe(false);
  });

  test('TERM comes first, so that a command can clean up', soak, async () => {
    const { run } = await shellIn();
    const outcome = await run("trap 'echo cleaned; exit 7' TERM; while :; do sleep 0.05; done", {
      timeoutMs: 3_000,
    });
    expect(outcome).toMatchObject({ stdout: 'cleaned\n', exitCode: 7, timedOut: true });
  });

  test('an abort ends it within the grace period and keeps its output so far', async () => {
    const { run } = await shellIn();
    const controller = new AbortController();
    const started = Date.now();
    const outcome = await run('echo early; sleep 600', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(outcome).toMatchObject({ stdout: 'early\n', exitCode: null, signal: 'SIGTERM', timedOut: false });
    expect(Date.now() - started).toBeLessThan(100_000);
  });

  test('an abort before the start starts nothing', async () => {
    const { root, run } = await shellIn();
    await expect(run('touch made', { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
      'stopped',
    );
    expect(await readFile(path.join(root, 'made')).catch(() => 'nothing')).toBe('nothing');
  });

  test('a grandchild that holds the pipe does not block, survives, and ends with the shell', async () => {
    const { root, shell, run } = await shellIn();
    const started = Date.now();
    const outcome = await run('(while :; do echo tick; sleep 0.1; done) & echo $! > bg.pid; echo done');
    expect(Date.now() - started).toBeLessThan(100_000);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain('done\n');

    const pid = await pidIn(path.join(root, 'bg.pid'));
    await sleep(300);
    expect(await isRunning(pid)).toBe(true);
    await shell.close();
    expect(await isRunning(pid)).toBe(false);
  });

  test('closing ends a running command', async () => {
    const { root, shell, run } = await shellIn();
    await writeFile(path.join(root, 'x'), '');
    const outcome = run('echo $$ > me.pid; exec sleep 600');
    const pid = await pidIn(path.join(root, 'me.pid'));
    await shell.close();
    expect(await outcome).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    expect(await isRunning(pid)).toBe(false);
  });

  describe.runIf(process.platform === 'linux')('on Linux', () => {
    sweep([
      ['made a session of its own', 'setsid sleep 600 & echo $! > pid; wait'],
      ['was forked twice', '(setsid sh -c "sleep 600 & echo \\$! > pid; wait" &) ; sleep 600'],
      ['cleared its environment', 'env -i /bin/sh -c "echo \\$\\$ > pid; exec setsid sleep 600" & wait'],
    ])('after a timeout, a child that %s is killed, too', async (_name, command) => {
      const { root, run } = await shellIn();
      const started = Date.now();
      const outcome = await run(command, { timeoutMs: 3_000 });
      expect(outcome).toMatchObject({ exitCode: null, timedOut: true });
      expect(Date.now() - started).toBeLessThan(100_000);
      expect(await isRunning(await pidIn(path.join(root, 'pid')))).toBe(false);
    });

    sweep([
      ['in a session of its own', 'setsid sleep 600 & echo $! > pid'],
      ['without the environment', 'env -i setsid sleep 600 >/dev/null 2>&1 & echo $! > pid'],
      ['forked twice without the environment', '(env -i setsid sh -c "echo \\$\\$ > pid; exec sleep 600" &)'],
      ['that cleared the environment and cannot be hung up', 'env -i nohup setsid sleep 600 & echo $! > pid'],
    ])(
      'a daemon left behind %s lives until the shell is closed, and no other command of the shell ends it',
      async (_name, daemon) => {
        const { root, shell, run } = await shellIn();
        const started = Date.now();
        expect(await run(daemon)).toMatchObject({ exitCode: 0 });
        expect(Date.now() - started).toBeLessThan(100_000);
        const pid = await pidIn(path.join(root, 'pid'));
        expect(await run('sleep 600', { timeoutMs: 200 })).toMatchObject({ timedOut: true });
        expect(await isRunning(pid)).toBe(true);
        await shell.close();
        expect(await isRunning(pid)).toBe(false);
      },
    );
  });

  test('a command with much output that is stopped still ends in time', async () => {
    const { root } = await workspace();
    const { run } = await shellIn({}, { outputFolder: root });
    const started = Date.now();
    const outcome = await run('yes', { timeoutMs: 1_000 });
    expect(outcome).toMatchObject({ exitCode: null, signal: 'SIGTERM', timedOut: true });
    expect(Date.now() - started).toBeLessThan(100_000);
  });
});
