import { chmod, lstat, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { type FileChange, UndoStore } from './undo.ts';

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

test('what was deleted comes back: folders, modes, links, also where something new took the place', async () => {
  const { root, home, tree } = await workspace({ 'd/run.sh': 'one', 'gone.sh': 'x' });
  const at = (name: string) => path.join(root, name);
  await chmod(at('d/run.sh'), 0o751);
  await chmod(at('gone.sh'), 0o700);
  await symlink('../nowhere', at('d/link'));
  await mkdir(at('d/empty'), { mode: 0o700 });
  await chmod(at('d'), 0o750);
  const store = new UndoStore(path.join(home, 'undo'));
  store.beginRun();
  const gone = (name: string, before: string, was: FileChange['was']) =>
    store.keep({ path: at(name), before: bytes(before), after: null, ...(was && { was }) });
  await gone('d', '', { type: 'folder', mode: 0o750 });
  await gone('d/empty', '', { type: 'folder', mode: 0o700 });
  await gone('d/link', '../nowhere', { type: 'link', mode: 0o777 });
  await gone('d/run.sh', 'one', { type: 'file', mode: 0o751 });
  await gone('gone.sh', 'x', { type: 'file', mode: 0o700 });
  await rm(at('d'), { recursive: true });
  await rm(at('gone.sh'));
  await change(store, at('gone.sh'), 'made anew');

  expect(await store.undo()).toEqual({
    restored: ['d', 'd/empty', 'd/link', 'd/run.sh', 'gone.sh'].map(at),
    removed: [],
    kept: [],
  });
  expect(await tree()).toEqual({ 'd/run.sh': 'one', 'gone.sh': 'x' });
  expect(await readlink(at('d/link'))).toBe('../nowhere');
  const modes = ['d', 'd/empty', 'd/run.sh', 'gone.sh'].map(
    async (name) => (await lstat(at(name))).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o750, 0o700, 0o751, 0o700]);
});

test('what somebody put in the place of a deleted thing stays', async () => {
  const { root, home, tree } = await workspace({ 'a.txt': 'mine now' });
  const store = new UndoStore(path.join(home, 'undo'));
  store.beginRun();
  await store.keep({ path: path.join(root, 'a.txt'), before: bytes('old'), after: null });
  expect(await store.undo()).toEqual({ restored: [], removed: [], kept: [path.join(root, 'a.txt')] });
  expect(await tree()).toEqual({ 'a.txt': 'mine now' });
});

test('a change that was kept and then not made does not stand in the way of the others', async () => {
  const { root, home, tree } = await workspace({ 'a.txt': 'one', 'b.txt': 'one' });
  const [a, b] = [path.join(root, 'a.txt'), path.join(root, 'b.txt')];
  const store = new UndoStore(path.join(home, 'undo'));
  store.beginRun();
  await change(store, a, 'two');
  await store.keep({ path: a, before: bytes('two'), after: bytes('never') });
  await store.keep({ path: b, before: bytes('one'), after: bytes('never') });
  store.beginRun();
  await store.keep({ path: b, before: bytes('one'), after: bytes('never') });
  expect(await store.undo()).toEqual({ restored: [a], removed: [], kept: [] });
  expect(await tree()).toEqual({ 'a.txt': 'one', 'b.txt': 'one' });
});

test('changes made side by side belong to one run', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `${i}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, 'one']));
  const { root, home, tree } = await workspace(files);
  const store = new UndoStore(path.join(home, 'undo'));
  store.beginRun();
  await Promise.all(names.map((name) => change(store, path.join(root, name), 'two')));
  expect((await store.undo())?.restored.length).toBe(20);
  expect(await tree()).toEqual(files);
  expect(await store.undo()).toBe(null);
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
