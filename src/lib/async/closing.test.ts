import { expect, test } from 'vitest';
import { inTurn, once } from './closing.ts';

test('what is ended twice is ended once, and both wait for it', async () => {
  let ended = 0;
  const close = once(async () => ++ended);
  expect(await Promise.all([close(), close(), close()])).toEqual([1, 1, 1]);
});

test('a step that fails, at once or later, keeps no other from its turn; the first failure is told', async () => {
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
