import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

const never = new AbortController().signal;

test('at most as many run at once as there are slots, and all run in order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.scheduler(), async (count, s) => {
      const slots = new Slots(count);
      let now = 0;
      let most = 0;
      const begun: number[] = [];
      const work = Array.from({ length: 10 }, (_, i) =>
        slots.use(never, async () => {
          begun.push(i);
          now += 1;
          most = Math.max(most, now);
          await s.schedule(Promise.resolve());
          now -= 1;
          if (i % 3 === 0) throw new Error('on its own');
        }),
      );
      await s.waitFor(Promise.allSettled(work));
      expect(most).toBe(Math.min(count, 10));
      expect(begun).toEqual(Array.from({ length: 10 }, (_, i) => i));
    }),
    { numRuns: 50 },
  );
});

test('an aborted waiter does not use up a slot', async () => {
  const slots = new Slots(1);
  let release: () => void = () => undefined;
  const first = slots.use(never, () => new Promise<void>((resolve) => (release = resolve)));
  const impatient = new AbortController();
  const second = slots.use(impatient.signal, async () => 'second');
  const third = slots.use(never, async () => 'third');
  impatient.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  release();
  await first;
  expect(await third).toBe('third');
  await expect(slots.use(impatient.signal, async () => 'late')).rejects.toThrow('gone');
});
