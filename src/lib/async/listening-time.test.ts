import { expect, test } from 'vitest';
import { afterListening, ListeningClock, listeningTime } from './listening-time.ts';

const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('time in which this process was blocked does not count', async () => {
  const order: string[] = [];
  const late = new Promise<void>((resolve) => {
    afterListening(60, () => {
      order.push('late');
      resolve();
    });
  });
  block(200);
  // What has arrived meanwhile is handled before the time is up.
  setImmediate(() => order.push('answer'));
  await late;
  expect(order).toEqual(['answer', 'late']);
});

test('it can be cancelled', async () => {
  let isLate = false;
  const cancel = afterListening(1, () => {
    isLate = true;
  });
  cancel();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isLate).toBe(false);
});

test('as a signal it says how long it waited', async () => {
  const signal = listeningTime(20);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  expect(signal.reason).toEqual(new Error('No answer within 20 ms.'));
});

test('a clock counts a stall as a moment, and stands still while it does not run', async () => {
  const clock = new ListeningClock();
  clock.run(true);
  const start = clock.now();
  const until = performance.now() + 400;
  while (performance.now() < until);
  expect(clock.now() - start).toBeLessThan(200);
  await expect.poll(() => clock.now() - start).toBeGreaterThan(300);

  clock.run(false);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const stopped = clock.now();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(clock.now()).toBe(stopped);
});
