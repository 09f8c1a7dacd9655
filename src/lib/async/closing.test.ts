import { expect, test } from 'vitest';
import { inTurn, once } from './closing.ts';

test('two calls do the work once, and both wait for it', async () => {
  let ended = 0;
  const close = once(async () => ++ended);
  expect(await Promise.all([close(), close(), close()])).toEqual([1, 1, 1]);
});

test('a step that fails, now or later, does not skip the others; the first failure is thrown', async () => {
  const done: number[] = [];
  const steps = [
    () => done.push(1),
    () => {
      throw new Error('two');
    },
    async () => done.push(3),
    () => Promise.reject(new Error('four')),
    () => done.push(5),
  ];
  await expect(inTurn(...steps)).rejects.toThrow('two');
  expect(done).toEqual([1, 3, 5]);
});
