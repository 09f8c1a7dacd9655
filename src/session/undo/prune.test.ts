import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { begin, command, edit, redo, storeFor, undo } from '../../../test/support/undo.ts';
import { pruneUndo } from './prune.ts';

const HOURS = 60 * 60 * 1000;

/** A folder that an earlier session looked at, and a session that goes on over a pruning. */
async function setUp() {
  const space = await storeFor({ 'a.txt': 'precious', 'b.txt': 'x'.repeat(5000) });
  const folder = path.join(space.home, 'undo');
  const prune = () => pruneUndo(folder, { now: Date.now() + 2 * HOURS });
  // Just after a change a file is read at every look; later it is known by its stamp.
  await new Promise((resolve) => setTimeout(resolve, 80));
  begin(space.store);
  await command(space.store, space.root, 'true');
  return { ...space, prune };
}

test('a conversation that goes on over a pruning can still take back what commands do', async () => {
  const { store, root, at, prune } = await setUp();
  expect(prune()).toBeGreaterThan(5000);
  begin(store);
  await command(store, root, 'rm a.txt b.txt');
  expect((await undo(store))?.restored).toEqual([at('a.txt'), at('b.txt')]);
});

test('and what tools do', async () => {
  const { store, at, prune } = await setUp();
  expect(prune()).toBeGreaterThan(5000);
  begin(store);
  await edit(store, at('a.txt'), 'new');
  expect((await undo(store))?.restored).toEqual([at('a.txt')]);
});

test('nothing is pruned while a command runs, unless it was cut off long ago', async () => {
  const { store, at, prune, home } = await setUp();
  begin(store);
  await store.commandBegins();
  expect(prune()).toBe(0);
  rmSync(at('a.txt'));
  await store.commandEnded();
  expect((await undo(store))?.restored).toEqual([at('a.txt')]);
  await store.commandBegins();
  expect(pruneUndo(path.join(home, 'undo'), { now: Date.now() + 48 * HOURS })).toBeGreaterThan(0);
});

test('a run that was passed over does not stand in the way of a redo', async () => {
  const { store, at } = await storeFor({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  begin(store);
  await edit(store, at('b.txt'), 'two\n');
  begin(store);
  await edit(store, at('a.txt'), 'two\n');
  expect((await undo(store))?.restored).toEqual([at('a.txt')]);
  writeFileSync(at('b.txt'), 'mine\n');
  expect((await undo(store))?.kept).toMatchObject([{ path: at('b.txt') }]);
  expect((await redo(store))?.restored).toEqual([at('a.txt')]);
});
