import { expect, test } from 'vitest';
import { DialogDesk } from './dialog-queue.ts';

test('dialogs come one at a time, in the order they were asked for', async () => {
  const desk = new DialogDesk();
  const first = desk.show<string>(() => null);
  const second = desk.show<number>(() => null);

  const one = desk.current;
  one?.onDone('yes');
  one?.onDone('a second answer counts for nothing');
  desk.current?.onDone(2);

  expect(await first).toBe('yes');
  expect(await second).toBe(2);
  expect(desk.current).toBeNull();
});

test('a question that nobody waits for any more is taken away, also while it waits for its turn', async () => {
  const desk = new DialogDesk();
  const stop = new AbortController();
  const shown = desk.show<string>(() => null);
  const waiting = desk.show<string>(() => null, stop.signal);

  stop.abort();
  desk.current?.onDone('yes');

  expect(await waiting).toBeNull();
  expect(await shown).toBe('yes');
  expect(await desk.show(() => null, stop.signal)).toBeNull();
  expect(desk.current).toBeNull();
});

test('closing answers all of them with nothing', async () => {
  const desk = new DialogDesk();
  const all = [desk.show(() => null), desk.show(() => null)];
  let told = 0;
  desk.subscribe(() => told++);

  desk.closeAll();

  expect(await Promise.all(all)).toEqual([null, null]);
  expect(told).toBe(2);
});
