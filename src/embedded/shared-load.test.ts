import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedLoad } from './shared-load.ts';

test('property: a load runs as long as something waits for it, and no longer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 1, maxLength: 6 }),
      fc.constantFrom('loads', 'fails'),
      async (aborts, outcome) => {
        let stopped = 0;
        let started = 0;
        let finish: () => void = () => undefined;
        const load = new SharedLoad<string>(
          () =>
            new Promise((resolve, reject) => {
              started++;
              finish = () => (outcome === 'loads' ? resolve('model') : reject(new Error('bad file')));
            }),
          async () => void stopped++,
        );
        const stops = aborts.map(() => new AbortController());
        const waiting = stops.map(({ signal }) => load.get(signal).catch((error: Error) => error.message));
        aborts.forEach((isAborted, i) => {
          if (isAborted) stops[i]?.abort(new Error('enough'));
        });
        await new Promise(setImmediate);
        const isCancelled = aborts.every(Boolean);
        expect({ started, stopped, isStarted: load.isStarted }).toEqual({
          started: 1,
          stopped: isCancelled ? 1 : 0,
          isStarted: !isCancelled,
        });
        finish();
        const end = outcome === 'loads' ? 'model' : 'bad file';
        expect(await Promise.all(waiting)).toEqual(aborts.map((isAborted) => (isAborted ? 'enough' : end)));
        expect(load.isStarted).toBe(!isCancelled && outcome === 'loads');
        expect(stopped).toBe(isCancelled || outcome === 'fails' ? 1 : 0);
      },
    ),
  );
});

test('a load that failed or was cancelled starts again with the next request', async () => {
  let tries = 0;
  const load = new SharedLoad(
    async (progress) => {
      progress(0.5);
      if (++tries === 1) throw new Error('bad file');
      return tries;
    },
    async () => undefined,
  );
  const { signal } = new AbortController();
  const shares: number[] = [];

  await expect(load.get(signal)).rejects.toThrow('bad file');
  expect(await load.get(signal, (share) => shares.push(share))).toBe(2);
  expect(await load.get(signal)).toBe(2);
  expect(shares).toEqual([0.5]);
});
