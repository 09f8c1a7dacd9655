import { expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

test('deeds run in order, never two at once, and a failed one does not stop the next', async () => {
  const inTurn = oneAtATime();
  const log: string[] = [];
  const deed = (name: string) => async () => {
    log.push(`${name} starts`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${name} ends`);
    if (name === 'b') throw new Error('b failed');
    return name;
  };
  const results = await Promise.allSettled([inTurn(deed('a')), inTurn(deed('b')), inTurn(deed('c'))]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
});
