// @module-tag soak
import { readdir } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { leftAfter } from '../../../test/support/processes.ts';
import { noBubblewrap, sandboxedShell } from '../../../test/support/sandboxed.ts';
import { soak, sweep } from '../../../test/support/soak.ts';

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

describe('[X01] [L10] how a command in bubblewrap ends', () => {
  sweep(
    [
      ['exit 0', { exitCode: 0, signal: null }],
      ['exit 3', { exitCode: 3, signal: null }],
      ['exit 143', { exitCode: 143, signal: null }],
      ['exit 255', { exitCode: 255, signal: null }],
      ['kill -TERM $$', { exitCode: null, signal: 'SIGTERM' }],
      ['kill -SEGV $$', { exitCode: null, signal: 'SIGSEGV' }],
      ['kill -INT $$', { exitCode: null, signal: 'SIGINT' }],
      ['kill -PIPE $$', { exitCode: null, signal: 'SIGPIPE' }],
      ['kill -KILL $$', { exitCode: null, signal: 'SIGKILL' }],
      ['sh -c "kill -TERM \\$\\$"; exit $?', { exitCode: 143, signal: null }],
      ['not-a-program', { exitCode: 127, signal: null }],
    ],
    3,
  )('%s', async (command, ending) => {
    const { run } = await sandboxedShell();
    expect(await run(command)).toMatchObject({ ...ending, timedOut: false });
  });

  test("both streams are the command's own, and it has no other descriptors", async () => {
    const { run } = await sandboxedShell();
    const outcome = await run('echo out; echo err >&2; ls /proc/self/fd | tr "\\n" " "');
    expect(outcome).toMatchObject({ stdout: 'out\n0 1 2 3 ', stderr: 'err\n' });
  });

  test(
    'TERM comes first, so that a command can clean up; commands that ignore it are killed',
    soak,
    async () => {
      const { run } = await sandboxedShell();
      const polite = "trap 'echo cleaned; exit 7' TERM; while :; do sleep 0.05; done";
      expect(await run(polite, { timeoutMs: 3_000 })).toMatchObject({
        stdout: 'cleaned\n',
        exitCode: 7,
        timedOut: true,
      });
      const began = Date.now();
      expect(await run("trap '' TERM; while :; do sleep 0.05; done", { timeoutMs: 3_000 })).toMatchObject({
        exitCode: null,
        signal: 'SIGKILL',
        timedOut: true,
      });
      expect(Date.now() - began).toBeLessThan(20_000);
    },
  );

  test('stopped at any moment, even before it started, the exit status is reported', soak, async () => {
    const { run } = await sandboxedShell();
    const command = "trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done";
    for (let round = 0; round < 12; round++) {
      const waits = [1, 2, 4, 8].map((unit) => 10 * unit + 5 * round);
      const runs = waits.map(async (timeoutMs) => ({ timeoutMs, ...(await run(command, { timeoutMs })) }));
      for (const { stdout, exitCode, signal, durationMs, timeoutMs } of await Promise.all(runs)) {
        // On a busy machine the second between TERM and KILL may be too short for any answer.
        if (signal === 'SIGKILL') expect(durationMs).toBeGreaterThan(timeoutMs + 1_000);
        else if (stdout === 'up\n' || signal === null)
          expect({ exitCode, signal }).toEqual({ exitCode: 7, signal: null });
        else expect(signal).toBe('SIGTERM');
      }
    }
  });

  test('processes a command leaves behind end with it, wherever they went', async () => {
    const { run } = await sandboxedShell();
    const seconds = `6${process.pid}`;
    const began = Date.now();
    expect(await run(`(setsid sleep ${seconds} &); sleep ${seconds} & echo done`)).toMatchObject({
      stdout: 'done\n',
    });
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(await leftAfter(`sleep ${seconds}`, 10_000)).toEqual([]);
  });

  test('in the background it runs until it is stopped', async () => {
    const { root, shell } = await sandboxedShell();
    const id = await shell.start({ command: 'echo up; touch made; sleep 60; echo never' });
    let heard = '';
    const hear = () => {
      heard += shell.check(id)?.newOutput ?? '';
      return heard;
    };
    await expect.poll(hear).toBe('up\n');
    await expect.poll(() => readdir(root)).toContain('made');
    expect(shell.check(id)).toMatchObject({ running: true, newOutput: '' });
    expect(await shell.stop(id)).toBe(true);
    expect(shell.check(id)).toMatchObject({ running: false, exitCode: null, signal: 'SIGTERM' });
  });

  test('[Y39] a second of `yes` is stopped in time', async () => {
    const { run } = await sandboxedShell();
    const began = Date.now();
    expect(await run('yes', { timeoutMs: 1_000 })).toMatchObject({ signal: 'SIGTERM', timedOut: true });
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});
