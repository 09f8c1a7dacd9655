import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { begin, command, edit, pictureOf, storeFor, undo, undoAll } from '../../../test/support/undo.ts';
import { defaultLimits } from './tree-walk.ts';
import { UndoStore } from './undo-store.ts';

/** A command that started, and whose process ended before recording its end. */
async function commandCutOff(store: UndoStore, cwd: string, script: string): Promise<void> {
  await store.commandBegins();
  execFileSync('sh', ['-c', script], { cwd });
}

describe('a command interrupted by a crash', () => {
  test('belongs to its own run, whatever the next process does first', async () => {
    const { root, at, open, store } = await storeFor({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    const before = pictureOf(root);
    begin(store);
    await commandCutOff(store, root, 'echo two > a.txt; rm b.txt');
    const between = pictureOf(root);

    const next = open();
    begin(next);
    await edit(next, at('a.txt'), 'three\n');
    await command(next, root, 'echo c > c.txt');

    expect((await undo(next))?.kept).toEqual([]);
    expect(pictureOf(root)).toEqual(between);
    expect((await undoAll(next))?.kept).toEqual([]);
    expect(pictureOf(root)).toEqual(before);
    expect(await undo(next)).toBe(null);
  });

  test('a torn line in the log damages only itself', async () => {
    const { root, home, at, open, store } = await storeFor({ 'a.txt': 'one\n' });
    const before = pictureOf(root);
    begin(store);
    await edit(store, at('a.txt'), 'two\n');
    appendFileSync(path.join(home, 'undo', 's.jsonl'), '{"type":"change","pa');
    const next = open();
    begin(next);
    await edit(next, at('a.txt'), 'three\n');
    await undo(next);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('two\n');
    await undo(next);
    expect(pictureOf(root)).toEqual(before);
  });
});

test('a run without effective changes is not an obstacle', async () => {
  const { root, at, store } = await storeFor();
  begin(store);
  await edit(store, at('b.txt'), 'x');
  begin(store);
  await edit(store, at('b.txt'), 'y');
  await edit(store, at('b.txt'), 'x');
  expect(await undo(store)).toEqual({ restored: [], removed: [at('b.txt')], kept: [] });
  expect(pictureOf(root)).toEqual({});
  expect(await undo(store)).toBe(null);
});

test('whether changes can be undone is known before the first of them', async () => {
  const { home, root, store } = await storeFor({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  expect([await store.canUndo('tools'), await store.canUndo('commands')]).toEqual([true, true]);

  const places = { folder: path.join(home, 'other'), sessionId: 's', roots: [root] };
  const large = new UndoStore({ ...places, limits: { ...defaultLimits, entries: 1 } });
  expect([await large.canUndo('tools'), await large.canUndo('commands')]).toEqual([true, false]);

  const folder = path.join(home, 'a-file');
  writeFileSync(folder, 'a file where the folder should be');
  const broken = new UndoStore({ ...places, folder });
  expect([await broken.canUndo('tools'), await broken.canUndo('commands')]).toEqual([false, false]);
});

test('a failing disk costs the undo and one warning; the work continues', async () => {
  const { root, home, at } = await storeFor({ 'a.txt': 'one\n' });
  const folder = path.join(home, 'undo');
  writeFileSync(folder, 'a file where the folder should be');
  const told: string[] = [];
  const store = new UndoStore({
    folder,
    sessionId: 's',
    roots: [root],
    onTrouble: (text) => told.push(text),
  });
  begin(store);
  await edit(store, at('a.txt'), 'two\n');
  expect(await command(store, root, 'echo b > b.txt')).toEqual([]);
  await edit(store, at('a.txt'), 'three\n');
  expect(told).toEqual([
    expect.stringMatching(/^Changes cannot be undone for now: saving backups failed \(E\w+: .*\)\.$/),
  ]);

  rmSync(folder);
  await edit(store, at('a.txt'), 'four\n');
  await undo(store);
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('three\n');
  await store.close();
});
