import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { whileWaiting } from './while-waiting.ts';

async function* itemsAfter(ms: number) {
  await pause(ms);
  yield 'one';
  await pause(60);
  yield 'two';
}

async function played(items: AsyncIterable<string>) {
  const order: string[] = [];
  for await (const item of whileWaiting(items, { afterMs: 30, work: () => order.push('work') }))
    order.push(item);
  await pause(60);
  return order;
}

test('work runs before the first item of a slow stream, and only then', async () => {
  expect(await played(itemsAfter(90))).toEqual(['work', 'one', 'two']);
  expect(await played(itemsAfter(0))).toEqual(['one', 'two']);
});

test('a stream that fails or is abandoned before its first item leaves no work behind', async () => {
  const worked: string[] = [];
  const options = { afterMs: 30, work: () => worked.push('work') };
  const failing = (async function* (): AsyncGenerator<string> {
    yield* [];
    throw new Error('no answer');
  })();
  await expect(whileWaiting(failing, options).next()).rejects.toThrow('no answer');
  const left = whileWaiting(itemsAfter(0), options);
  await left.next();
  await left.return(undefined);
  await pause(60);
  expect(worked).toEqual([]);
});
