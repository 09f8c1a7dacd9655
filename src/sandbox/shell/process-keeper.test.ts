import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, leftAfter, runningWith } from '../../../test/support/processes.ts';
import { soak } from '../../../test/support/soak.ts';
import { createProcessKeeper } from './process-keeper.ts';

/** A leader that ignores TERM, and a child that has left its group. */
const STUBBORN = 'trap "" TERM; setsid sleep "$0" & sleep "$0"; sleep "$0"';

test(
  'ends a program that ignores TERM, and children that left its group; others continue until all are ended',
  soak,
  async () => {
    const keeper = createProcessKeeper({ path: process.env.PATH });
    onTestFinished(() => keeper.close());
    const start = (seconds: string) => {
      const { id, env } = keeper.mark();
      const child = spawn('sh', ['-c', STUBBORN, seconds], {
        detached: true,
        stdio: 'ignore',
        env: { PATH: process.env.PATH, ...env },
      });
      const pid = child.pid ?? 0;
      keeper.watch(pid);
      return { pid, id };
    };
    const [first, second] = [`31${process.pid}7`, `32${process.pid}7`];
    const [one, two] = [start(first), start(second)];
    await expect.poll(() => [runningWith(first).length, runningWith(second).length]).toEqual([3, 3]);
    await keeper.end(one.pid, one.id);
    expect([await leftAfter(first, 0), runningWith(second).length]).toEqual([[], 3]);
    expect(await isRunning(two.pid)).toBe(true);
    await keeper.close();
    expect(await leftAfter(second, 0)).toEqual([]);
  },
);
