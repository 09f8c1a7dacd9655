import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRunning, pidIn } from '../../../test/support/processes.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { MARK_DESCRIPTOR, openMark } from './process-table.ts';
import { createWatchdog } from './watchdog.ts';

const name = 'WATCHDOG_TEST_MARK';

function program(command: string, env: Record<string, string> = {}): number {
  const child = spawn('/bin/sh', ['-c', command], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  if (child.pid === undefined) throw new Error('not started');
  return child.pid;
}

const areRunning = (pids: number[]) => Promise.all(pids.map(isRunning));

describe.skipIf(process.platform === 'win32')('the watchdog', () => {
  test('at the end of its input ends the watched groups, except the forgotten ones', async () => {
    const watchdog = createWatchdog({ name, prefix: randomUUID() }, process.env.PATH);
    const pids = ['sleep 60', 'sleep 60', 'sleep 60'].map((command) => program(command));
    for (const pid of [...pids, 1_234_567]) watchdog.watch(pid);
    watchdog.forget(pids[1] ?? 0);
    watchdog.forget(7_654_321);
    watchdog.forget(1_234_567);
    await sleep(100);
    expect(await areRunning(pids)).toEqual([true, true, true]);
    await watchdog.close();
    expect(await areRunning(pids)).toEqual([false, true, false]);
  });

  test.runIf(process.platform === 'linux')(
    'finds processes that cleared their environment and left the group, by the inherited descriptor',
    async () => {
      const mark = { name, prefix: randomUUID() };
      const watchdog = createWatchdog(mark, process.env.PATH);
      const file = path.join((await workspace()).root, 'pid');
      const descriptor = openMark(mark);
      const stdio = Array.from({ length: MARK_DESCRIPTOR }, () => 'ignore' as const);
      const command = `(env -i setsid sh -c 'echo $$ > "${file}"; exec sleep 60' &)`;
      if (descriptor === null) throw new Error('no descriptor');
      spawn('/bin/sh', ['-c', command], { stdio: [...stdio, descriptor] });
      closeSync(descriptor);
      const pid = await pidIn(file);
      watchdog.watch(7_654_321);
      expect(await isRunning(pid)).toBe(true);
      await watchdog.close();
      expect(await isRunning(pid)).toBe(false);
    },
  );

  test('sends TERM first, and KILL after a second', async () => {
    const watchdog = createWatchdog({ name, prefix: randomUUID() }, process.env.PATH);
    const deaf = path.join((await workspace()).root, 'deaf.pid');
    const pid = program(`trap '' TERM; echo $$ > '${deaf}'; while :; do sleep 0.1; done`);
    watchdog.watch(pid);
    expect(await pidIn(deaf)).toBe(pid);
    const started = Date.now();
    await watchdog.close();
    expect(Date.now() - started).toBeGreaterThan(900);
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(await isRunning(pid)).toBe(false);
  });

  test.runIf(process.platform === 'linux')('does nothing without a complete mark', async () => {
    const pid = program('sleep 60', { [name]: randomUUID() });
    for (const prefix of ['', randomUUID().slice(0, 3)]) {
      const watchdog = createWatchdog({ name, prefix }, process.env.PATH);
      watchdog.watch(1_234_567);
      await watchdog.close();
    }
    expect(await isRunning(pid)).toBe(true);
  });

  test.runIf(process.platform === 'linux')('finds processes with the mark on its own', async () => {
    const prefix = `${randomUUID()}:`;
    const watchdog = createWatchdog({ name, prefix }, process.env.PATH);
    const pids = [
      program('sleep 60', { [name]: `${prefix}1;` }),
      program('sleep 60', { [name]: `${randomUUID()}:1;` }),
    ];
    watchdog.watch(1_234_567);
    await sleep(100);
    await watchdog.close();
    expect(await areRunning(pids)).toEqual([false, true]);
  });

  test('that was never needed has nothing to close', async () => {
    const watchdog = createWatchdog({ name, prefix: randomUUID() }, process.env.PATH);
    watchdog.forget(1);
    await watchdog.close();
    await watchdog.close();
  });
});
