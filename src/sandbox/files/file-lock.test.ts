import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { createFileLocks } from './file-lock.ts';

const never = new AbortController().signal;
const tick = () => new Promise((resolve) => setImmediate(resolve));

test('operations on one file never overlap, and those of one process keep their order; others run in parallel', async () => {
  const { root, home } = await workspace({});
  const names = fc.constantFrom('a', 'b', 'folder', 'folder/c');
  const job = fc.record({ files: fc.uniqueArray(names, { minLength: 1, maxLength: 3 }), steps: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 8 }), async (jobs) => {
      const turns = createFileLocks(home);
      const running = new Set<string>();
      const order: number[] = [];
      const clash = (one: string) =>
        [...running].some(
          (other) => other === one || other.startsWith(`${one}/`) || one.startsWith(`${other}/`),
        );
      await Promise.all(
        jobs.map(({ files, steps }, i) =>
          turns.run(
            files.map((file) => path.join(root, file)),
            never,
            async () => {
              expect(files.filter(clash)).toEqual([]);
              for (const file of files) running.add(file);
              order.push(i);
              for (let step = 0; step < steps; step++) await tick();
              for (const file of files) running.delete(file);
            },
          ),
        ),
      );
      const onA = order.filter((i) => jobs[i]?.files.includes('a'));
      expect(onA).toEqual(onA.toSorted((one, other) => one - other));
      expect(order).toHaveLength(jobs.length);
    }),
    { numRuns: 100 },
  );
});

test('two independent instances take turns, too, as two processes do', async () => {
  const { root, home } = await workspace({});
  const file = path.join(root, 'a');
  const sides = [createFileLocks(home), createFileLocks(home)];
  let inside = 0;
  let most = 0;
  const deed = async () => {
    most = Math.max(most, ++inside);
    await tick();
    inside--;
  };
  await Promise.all([...Array(20).keys()].map((i) => sides[i % 2]?.run([file], never, deed)));
  expect(most).toBe(1);
});

test('a failing operation passes its turn on; one aborted while waiting does not run', async () => {
  const { root, home } = await workspace({});
  const file = path.join(root, 'a');
  const turns = createFileLocks(home);
  const stop = new AbortController();
  const ran: string[] = [];
  const first = turns.run([file], never, async () => {
    await tick();
    throw new Error('full disk');
  });
  const second = turns.run([file], stop.signal, async () => ran.push('second'));
  const third = turns.run([file], never, async () => ran.push('third'));
  stop.abort();
  await expect(first).rejects.toThrow('full disk');
  await expect(second).rejects.toThrow('aborted');
  await third;
  expect(ran).toEqual(['third']);
});
