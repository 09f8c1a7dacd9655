import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { UndoStore } from './undo.ts';

const bytes = (text: string) => Buffer.from(text);

async function change(store: UndoStore, file: string, after: string): Promise<void> {
  const before = await readFile(file).catch(() => null);
  await store.keep({ path: file, before, after: bytes(after) });
  await writeFile(file, after);
}

test('the last run is taken back whole: changed files restored, new files removed, modes kept', async () => {
  const { root, home, tree } = await workspace({ 'a.sh': 'one' });
  await chmod(path.join(root, 'a.sh'), 0o755);
  const store = new UndoStore(path.join(home, 'undo'));
  store.beginRun();
  await change(store, path.join(root, 'a.sh'), 'two');
  store.beginRun();
  await change(store, path.join(root, 'a.sh'), 'three');
  await change(store, path.join(root, 'a.sh'), 'four');
  await change(store, path.join(root, 'new.txt'), 'new');

  expect(await store.undo()).toEqual({
    restored: [path.join(root, 'a.sh')],
    removed: [path.join(root, 'new.txt')],
    kept: [],
  });
  expect(await tree()).toEqual({ 'a.sh': 'two' });
  expect((await stat(path.join(root, 'a.sh'))).mode & 0o777).toBe(0o755);

  expect((await new UndoStore(path.join(home, 'undo')).undo())?.restored.length).toBe(1);
  expect(await tree()).toEqual({ 'a.sh': 'one' });
  expect(await store.undo()).toBe(null);
});

test("the user's own later edit is never overwritten", async () => {
  const { root, home, tree } = await workspace({ 'a.txt': 'one', 'b.txt': 'one' });
  const store = new UndoStore(path.join(home, 'undo'));
  store.beginRun();
  await change(store, path.join(root, 'a.txt'), 'two');
  await change(store, path.join(root, 'b.txt'), 'two');
  await writeFile(path.join(root, 'a.txt'), 'mine');
  await expect(store.undo()).resolves.toMatchObject({ kept: [path.join(root, 'a.txt')] });
  expect(await tree()).toEqual({ 'a.txt': 'mine', 'b.txt': 'one' });
});

test('any script of changes, taken back run by run, gives the original bytes', async () => {
  const files = ['a', 'b', 'c'];
  const script = fc.array(fc.array(fc.tuple(fc.constantFrom(...files), fc.string()), { maxLength: 5 }), {
    maxLength: 4,
  });
  const { root, home, tree } = await workspace();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(script, async (runs) => {
      for (const file of files) await rm(path.join(root, file), { force: true });
      await writeFile(path.join(root, 'a'), 'start');
      const store = new UndoStore(path.join(home, String(round++)));
      for (const run of runs) {
        store.beginRun();
        for (const [file, text] of run) await change(store, path.join(root, file), text);
      }
      while (await store.undo());
      expect(await tree()).toEqual({ a: 'start' });
    }),
    { numRuns: 40 },
  );
});
