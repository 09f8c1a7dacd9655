import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { leftAfter } from '../../../test/support/processes.ts';
import { noBubblewrap, sandboxedShell } from '../../../test/support/sandboxed.ts';
import { soak } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { createShell } from './shell.ts';

const few = { maxProcesses: 40, maxMemoryMb: 100_000 };
const little = { maxProcesses: 10_000, maxMemoryMb: 150 };
const grow =
  'node -e "const kept = []; setInterval(() => kept.push(Buffer.alloc(10_000_000, 1)), 20)" & node -e "setTimeout(() => {}, 60000)"';

async function unsandboxedShell(limits: typeof few) {
  const { root } = await workspace();
  const shell = createShell({ cwd: root, env: { PATH: process.env.PATH }, limits });
  onTestFinished(() => shell.close());
  const run = (command: string) =>
    shell.run({ command, timeoutMs: 60_000, signal: new AbortController().signal });
  return { root, shell, run };
}

describe.skipIf(process.platform === 'win32')('a command that exceeds its limits', () => {
  test('is stopped with all its processes when there are too many, without a sandbox', async () => {
    const { run } = await unsandboxedShell(few);
    const outcome = await run('for i in $(seq 60); do sleep 61.017 & done; wait');
    expect(outcome).toMatchObject({ exitCode: null, timedOut: false });
    expect(outcome.stderr).toMatch(/ran \d+ processes and threads; the limit is 40 \(setting sandbox\.max/);
    expect(await leftAfter('sleep 61.017', 20_000)).toEqual([]);
  });

  test('counts threads as the kernel does, and may use the whole limit', soak, async () => {
    const { run } = await unsandboxedShell({ ...few, maxProcesses: 200 });
    const outcome = await run('for i in $(seq 60); do sleep 1.2 & done; wait; echo done');
    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'done\n', stderr: '' });
  });

  test('is stopped when its processes together use too much memory', async () => {
    const { run } = await unsandboxedShell(little);
    const outcome = await run(grow);
    expect(outcome).toMatchObject({ exitCode: null, timedOut: false });
    expect(outcome.stderr).toMatch(
      /used \d+ MB of memory; the limit is 150 MB \(setting sandbox\.maxMemoryMb\)/,
    );
  });

  test('is stopped alone: others continue', async () => {
    const { run } = await unsandboxedShell(few);
    const [many, one] = await Promise.all([
      run('for i in $(seq 60); do sleep 61.020 & done; wait'),
      run('sleep 1.5; echo done'),
    ]);
    expect(many.stderr).toContain('the limit is 40');
    expect(one).toMatchObject({ exitCode: 0, stdout: 'done\n', stderr: '' });
    expect(await leftAfter('sleep 61.020', 20_000)).toEqual([]);
  });

  test('is stopped in the background, too: the note is in its output', async () => {
    const { shell } = await unsandboxedShell(few);
    const id = await shell.start({ command: 'for i in $(seq 60); do sleep 61.018 & done; wait' });
    let output = '';
    await expect
      .poll(() => {
        const state = shell.check(id);
        output += state?.newOutput ?? '';
        return state?.running;
      })
      .toBe(false);
    expect(output).toContain('the limit is 40');
    expect(await leftAfter('sleep 61.018', 20_000)).toEqual([]);
  });
});

describe('in bubblewrap', () => {
  test.skipIf(noBubblewrap !== null)('both limits apply to the whole sandbox', async () => {
    const processes = await sandboxedShell({}, { limits: few });
    const many = await processes.run('for i in $(seq 60); do setsid sleep 61.019 & done; wait');
    expect(many.stderr).toMatch(/the limit is 40|Resource temporarily unavailable/);
    expect(await leftAfter('sleep 61.019', 20_000)).toEqual([]);
    const memory = await sandboxedShell({}, { limits: little });
    expect((await memory.run(grow)).stderr).toContain('the limit is 150 MB');
  });

  test.skipIf(noBubblewrap !== null)(
    'processes still running when the command ends are listed',
    soak,
    async () => {
      const { run } = await sandboxedShell();
      expect(await run('sleep 300 & (setsid sleep 301 &); exit 3')).toMatchObject({ exitCode: 3 });
      // A process that is just becoming another program has no command line to list.
      const started = 'until grep -qsz "^301$" /proc/[0-9]*/cmdline; do :; done';
      const { stderr } = await run(`sleep 300 & (setsid sleep 301 &); ${started}`);
      expect(stderr).toMatch(/^\[Still running when the command ended, so stopped: .*sleep.*300/);
      expect(stderr).toMatch(/sleep.*301/);
      expect(stderr).toContain('run_in_background');
      expect((await run('sleep 0.1 & wait; echo all done')).stderr).toBe('');
      expect((await run('for i in $(seq 20); do sleep 302 & done')).stderr.match(/302/g)).toHaveLength(5);
    },
  );

  test.skipIf(noBubblewrap !== null)(
    'the name of a program cannot forge lines in the note',
    soak,
    async () => {
      const { run } = await sandboxedShell();
      const { stderr } = await run(
        'bash -c \'exec -a "$(printf "x\\nleft running: evil")" sleep 300\' & sleep 0.3',
      );
      expect(stderr.split('\n')).toHaveLength(2);
    },
  );

  test.skipIf(noBubblewrap !== null || process.getuid?.() !== 0)(
    'for an ordinary user the kernel itself refuses more processes',
    soak,
    async ({ skip }) => {
      const { root } = await sandboxedShell();
      try {
        execFileSync('setpriv', ['--version'], { stdio: 'ignore' });
      } catch {
        skip('there is no setpriv to become an ordinary user with');
      }
      const { withExactEnding } = await import('../confine/exact-ending.ts');
      const shell = { file: '/bin/bash', name: 'bash', args: (command: string) => ['-c', command] };
      const inner = withExactEnding('for i in $(seq 60); do sleep 1 & done; echo $(jobs -p | wc -l)', {
        shell,
        maxProcesses: 40,
      });
      const user = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
      const walls = [
        '--unshare-user',
        '--unshare-pid',
        '--ro-bind',
        '/',
        '/',
        '--proc',
        '/proc',
        '--dev',
        '/dev',
      ];
      const line = [...user, 'bwrap', ...walls, '--chdir', '/', ...inner];
      const quoted = line.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
      execFileSync('bash', ['-c', `setpriv ${quoted} 3>'${path.join(root, 'words')}' || true`], {
        stdio: 'ignore',
      });
      expect(await readFile(path.join(root, 'words'), 'utf8')).toContain('Resource temporarily unavailable');
    },
  );
});
