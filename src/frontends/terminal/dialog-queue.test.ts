import { expect, test } from 'vitest';
import { DialogDesk } from './dialog-queue.ts';

const silent = () => ({ lines: () => [], press: () => undefined });

test('dialogs open one at a time, in the order they were requested', async () => {
  const desk = new DialogDesk();
  const first = desk.show<string>(silent);
  const second = desk.show<number>(silent);

  const one = desk.current;
  one?.onDone('yes');
  one?.onDone('a second answer counts for nothing');
  desk.current?.onDone(2);

  expect(await first).toBe('yes');
  expect(await second).toBe(2);
  expect(desk.current).toBeNull();
});

test('an aborted dialog is removed, even while it is queued', async () => {
  const desk = new DialogDesk();
  const stop = new AbortController();
  const shown = desk.show<string>(silent);
  const waiting = desk.show<string>(silent, stop.signal);

  stop.abort();
  desk.current?.onDone('yes');

  expect(await waiting).toBeNull();
  expect(await shown).toBe('yes');
  expect(await desk.show(silent, stop.signal)).toBeNull();
  expect(desk.current).toBeNull();
});

test('closing resolves all of them with nothing', async () => {
  const desk = new DialogDesk();
  const all = [desk.show(silent), desk.show(silent)];
  let told = 0;
  desk.subscribe(() => told++);

  desk.closeAll();

  expect(await Promise.all(all)).toEqual([null, null]);
  expect(told).toBe(2);
});
