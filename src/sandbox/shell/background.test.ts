import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRunning, pidIn } from '../../../test/support/processes.ts';
import { soak } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { BackgroundState, Shell } from '../../contract/tool.ts';
import { createShell } from './shell.ts';

async function shellIn(files: Record<string, string> = {}) {
  const { root } = await workspace(files);
  const shell = createShell({ cwd: root, env: { PATH: process.env.PATH } });
  onTestFinished(() => shell.close());
  return { root, shell };
}

/** Polls until it has ended; returns the combined output. */
async function untilEnd(shell: Shell, id: string): Promise<BackgroundState | null> {
  let output = '';
  for (;;) {
    const state = shell.check(id);
    output += state?.newOutput ?? '';
    if (!state?.running) return state && { ...state, newOutput: output };
    await sleep(20);
  }
}

/** Polls until there is new output. */
async function untilNews(shell: Shell, id: string): Promise<BackgroundState | null> {
  for (;;) {
    const state = shell.check(id);
    if (state?.newOutput !== '') return state;
    await sleep(20);
  }
}

describe('a background command', () => {
  test('keeps running, and its new output is reported once', async () => {
    const { root, shell } = await shellIn();
    const command = 'echo one; until [ -e go ]; do sleep 0.02; done; echo two >&2; exit 3';
    const id = await shell.start({ command });
    const state = { id: 'bg_1', command };
    expect(await untilNews(shell, id)).toEqual({
      ...state,
      running: true,
      exitCode: null,
      signal: null,
      newOutput: 'one\n',
    });
    expect(shell.check(id)?.newOutput).toBe('');
    await writeFile(path.join(root, 'go'), '');
    const ended = { ...state, running: false, exitCode: 3, signal: null };
    expect(await untilEnd(shell, id)).toEqual({ ...ended, newOutput: 'two\n' });
    expect(shell.check(id)).toEqual({ ...ended, newOutput: '' });
  });

  test('runs in the given folder; what cannot start has no id', async () => {
    const { root, shell } = await shellIn({ 'sub/a': '' });
    const id = await shell.start({ command: 'pwd', cwd: path.join(root, 'sub') });
    expect((await untilEnd(shell, id))?.newOutput).toBe(`${root}/sub\n`);
    await expect(shell.start({ command: 'pwd', cwd: path.join(root, 'gone') })).rejects.toThrow(
      /Could not start the shell/,
    );
    expect(shell.background()).toEqual([{ id: 'bg_1', command: 'pwd', running: false }]);
    expect(shell.check('bg_2')).toBe(null);
  });

  test('is stopped with all its processes, including those that ignore signals', async () => {
    const { root, shell } = await shellIn();
    const command = `trap '' TERM; (trap '' TERM; echo $BASHPID > pid; while :; do sleep 0.1; done) & wait; sleep 600`;
    const id = await shell.start({ command });
    const pid = await pidIn(path.join(root, 'pid'));
    const started = Date.now();
    expect(await Promise.all([shell.stop(id), shell.stop(id)])).toEqual([true, true]);
    expect(Date.now() - started).toBeLessThan(100_000);
    expect(await isRunning(pid)).toBe(false);
    expect(shell.check(id)).toMatchObject({ running: false, exitCode: null, signal: 'SIGKILL' });
    expect(await shell.stop(id)).toBe(false);
    expect(await shell.stop('bg_9')).toBe(false);
  });

  test('that floods is limited to the latest megabyte', async () => {
    const { shell } = await shellIn();
    const id = await shell.start({ command: 'yes | head -c 30000000; echo last' });
    while (shell.background()[0]?.running) await sleep(20);
    const output = shell.check(id)?.newOutput ?? '';
    expect(output.slice(-9)).toBe('y\ny\nlast\n');
    expect(output.split('\n', 1)).toEqual([`[${30_000_005 - 1024 ** 2} older characters dropped]`]);
    expect(output.length).toBeLessThan(1024 ** 2 + 100);
  });

  test('ends when the shell is closed: TERM first, KILL a second later', async () => {
    const { root, shell } = await shellIn();
    await shell.start({
      command: "trap 'echo bye > bye; exit' TERM; echo $$ > a; while :; do sleep 0.05; done",
    });
    await shell.start({ command: "trap '' TERM; echo $$ > b; while :; do sleep 0.05; done" });
    await shell.start({ command: 'setsid sleep 600 & echo $! > c; wait' });
    const pids = await Promise.all(['a', 'b', 'c'].map((name) => pidIn(path.join(root, name))));
    const started = Date.now();
    await shell.close();
    expect(Date.now() - started).toBeLessThan(100_000);
    expect(await Promise.all(pids.map(isRunning))).toEqual([false, false, false]);
    expect(shell.background().map(({ running }) => running)).toEqual([false, false, false]);
  });

  test('is refused while 32 run', soak, async () => {
    const { shell } = await shellIn();
    await Promise.all(Array.from({ length: 32 }, () => shell.start({ command: 'exec sleep 600' })));
    await expect(shell.start({ command: 'true' })).rejects.toThrow(
      /^32 commands are already running in the background/,
    );
    expect(shell.background().map(({ id }) => id)).toEqual(
      Array.from({ length: 32 }, (_, i) => `bg_${i + 1}`),
    );
  });
});
