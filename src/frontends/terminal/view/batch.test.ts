import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Batch, type BatchClock, type Delta } from './batch.ts';

function clock(): BatchClock & { pass(ms: number): void } {
  let now = 0;
  let timers: { at: number; wake: () => void }[] = [];
  return {
    now: () => now,
    later(ms, wake) {
      const timer = { at: now + ms, wake };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    pass(ms) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((one) => one !== next);
        now = next.at;
        next.wake();
      }
      now = end;
    },
  };
}

test('C11: the first text is emitted immediately, the rest in short batches', () => {
  const time = clock();
  const told: (Delta & { at: number })[] = [];
  const batch = new Batch(time, (delta) => told.push({ ...delta, at: time.now() }));

  for (const text of ['a', 'b', 'c', 'd', 'e']) {
    batch.push({ as: 'answer', text });
    time.pass(15);
  }
  time.pass(1_000);
  batch.push({ as: 'answer', text: 'f' });

  expect(told).toEqual([
    { as: 'answer', text: 'a', at: 0 },
    { as: 'answer', text: 'bc', at: 33 },
    { as: 'answer', text: 'de', at: 66 },
    { as: 'answer', text: 'f', at: 1_075 },
  ]);
});

test('drained text is not emitted again, and text of another kind flushes the text before', () => {
  const time = clock();
  const told: Delta[] = [];
  const batch = new Batch(time, (delta) => told.push(delta));

  batch.push({ as: 'thought', text: 'hm' });
  batch.push({ as: 'thought', text: ', so' });
  batch.push({ as: 'answer', text: 'Yes' });
  const rest = batch.drain();
  time.pass(1_000);

  expect(told).toEqual([
    { as: 'thought', text: 'hm' },
    { as: 'thought', text: ', so' },
  ]);
  expect(rest).toEqual({ as: 'answer', text: 'Yes' });
  expect(batch.drain()).toBeNull();
});

test('at any pace, all text is emitted once, in order, at most 80 ms late, and at most once in 33 ms', () => {
  const piece = fc.record({ text: fc.string({ maxLength: 4 }), pause: fc.integer({ min: 0, max: 200 }) });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const time = clock();
      const told: { text: string; at: number }[] = [];
      const batch = new Batch(time, ({ text }) => told.push({ text, at: time.now() }));
      for (const { text, pause } of pieces) {
        batch.push({ as: 'answer', text });
        time.pass(pause);
      }
      const rest = batch.drain()?.text ?? '';

      expect(told.map(({ text }) => text).join('') + rest).toBe(pieces.map(({ text }) => text).join(''));
      for (const [i, { at }] of told.entries())
        if (i > 0) expect(at - (told[i - 1]?.at ?? 0)).toBeGreaterThanOrEqual(33);
    }),
  );
});
