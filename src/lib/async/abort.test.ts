import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { following, limited, onAbort, pause, raceAbort } from './abort.ts';

const heard = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

/** Runs the garbage collector as often as possible. */
function collecting(): { end(): void } {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const timer = setInterval(collect, 10);
  return { end: () => clearInterval(timer) };
}

test('a time limit fires even if only the listener references it', async () => {
  const collector = collecting();
  try {
    const parent = new AbortController();
    const reasons = await Promise.all([heard(limited(200, parent.signal)), heard(limited(200))]);
    expect(reasons).toMatchObject([{ name: 'TimeoutError' }, { name: 'TimeoutError' }]);
    expect(parent.signal.aborted).toBe(false);
  } finally {
    collector.end();
  }
});

test('the parent signal aborts first, with its own reason', async () => {
  const parent = new AbortController();
  const reason = heard(limited(60_000, parent.signal));
  parent.abort('enough');
  expect(await reason).toBe('enough');
  expect(limited(60_000, parent.signal)).toMatchObject({ aborted: true, reason: 'enough' });
});

test('a following signal aborts with its parent or before it, and then stops listening', () => {
  const parent = new AbortController();
  const [early, late, left] = [following(parent.signal), following(parent.signal), following(parent.signal)];
  early.abort('mine');
  left.stop();
  parent.abort('theirs');
  expect([early, late, left].map(({ signal }) => signal.aborted && signal.reason)).toEqual([
    'mine',
    'theirs',
    false,
  ]);
});

test('an abort ends every wait with its reason; a finished wait keeps its result', async () => {
  const { signal, ...stop } = controllerOf();
  const never = new Promise<string>(() => undefined);
  const over = await raceAbort(Promise.resolve('done'), signal);
  const waits = [raceAbort(never, signal), raceAbort(never, signal)];
  stop.abort('enough');
  expect(over).toBe('done');
  expect(await Promise.allSettled(waits)).toMatchObject([{ reason: 'enough' }, { reason: 'enough' }]);
  await expect(raceAbort(never, signal)).rejects.toBe('enough');
});

test('a failure after the abort does not surface as an unhandled rejection', async () => {
  const { signal, abort } = controllerOf();
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<string>((_, reject) => {
    fail = reject;
  });
  const waiting = raceAbort(work, signal);
  abort('enough');
  await expect(waiting).rejects.toBe('enough');
  fail(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});

test('a removed listener is not called, and a listener may remove others', () => {
  const { signal, abort } = controllerOf();
  const told: string[] = [];
  onAbort(signal, () => told.push('called off')).off();
  onAbort(signal, () => {
    told.push('first');
    second.off();
  });
  const second = onAbort(signal, () => told.push('second'));
  onAbort(signal, () => told.push('third'));
  abort('enough');
  expect(told).toEqual(['first', 'third']);
});

function controllerOf(): { signal: AbortSignal; abort(reason: unknown): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}

test('a pause ends by itself, or with the reason of an abort before or during it', async () => {
  const leaving = new AbortController();
  const reason = new Error('enough');
  await pause(1, leaving.signal);
  const long = pause(60_000, leaving.signal);
  leaving.abort(reason);
  await expect(long).rejects.toBe(reason);
  await expect(pause(1, leaving.signal)).rejects.toBe(reason);
});
