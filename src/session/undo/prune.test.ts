import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { begin, command, edit, quick, redo, storeFor, undo } from '../../../test/support/undo.ts';
import { Objects } from './objects.ts';
import { pruneAllUndo, pruneUndo, sizeOfUndo } from './prune.ts';
import { UndoStore } from './undo-store.ts';

const HOURS = 60 * 60 * 1000;

/** A session that continues across a pruning, after others have left much unneeded data. */
async function setUp() {
  const space = await storeFor({ 'a.txt': 'precious', 'b.txt': 'x'.repeat(5000) });
  const folder = path.join(space.home, 'undo');
  const prune = async () => (await pruneUndo(folder, { now: Date.now() + 2 * HOURS })).freedBytes;
  const others = new Objects(path.join(folder, 'objects'));
  others.put(Buffer.from('y'.repeat(9000)));
  others.close();
  // Just after a change a file is read at every scan; later its stamp is enough.
  await new Promise((resolve) => setTimeout(resolve, 80));
  begin(space.store);
  await command(space.store, space.root, 'true');
  return { ...space, folder, prune };
}

test('a conversation that continues across a pruning can still undo commands', async () => {
  const { store, root, at, prune } = await setUp();
  expect(await prune()).toBeGreaterThan(5000);
  begin(store);
  await command(store, root, 'rm a.txt b.txt');
  expect((await undo(store))?.restored).toEqual([at('a.txt'), at('b.txt')]);
});

test('and tools', async () => {
  const { store, at, prune } = await setUp();
  expect(await prune()).toBeGreaterThan(5000);
  begin(store);
  await edit(store, at('a.txt'), 'new');
  expect((await undo(store))?.restored).toEqual([at('a.txt')]);
});

test('content from before a running command is never pruned', async () => {
  const { store, at, prune } = await setUp();
  begin(store);
  await store.commandBegins();
  expect(await prune()).toBeGreaterThan(5000);
  rmSync(at('a.txt'));
  await store.commandEnded(quick('', '/'));
  expect((await undo(store))?.restored).toEqual([at('a.txt')]);
});

test('a skipped run does not block a redo', async () => {
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

sweep([8, 40])(
  'above the quota the oldest runs are forgotten, the newest can be undone, and files are unchanged (%i runs)',
  async (numRuns) => {
    const kb = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(kb, { minLength: 1, maxLength: 8 }), kb, async (sizes, quotaKb) => {
        const { at, tree, store, home } = await storeFor({ 'a.txt': 'first' });
        const text = (i: number) => (i < 0 ? 'first' : `${i} `.padEnd((sizes[i] ?? 0) * 1024, 'x'));
        for (const i of sizes.keys()) {
          begin(store);
          await edit(store, at('a.txt'), text(i));
        }
        await store.close();
        const folder = path.join(home, 'undo');
        const options = { quotaBytes: quotaKb * 1024, now: Date.now() + 2 * HOURS };
        const size = sizeOfUndo(folder);
        const { forgottenRuns } = await pruneUndo(folder, options);
        if (size <= options.quotaBytes) expect(forgottenRuns).toBe(0);
        const contents = sizeOfPacks(path.join(folder, 'objects'));
        if (size > options.quotaBytes) expect(contents).toBeLessThanOrEqual(options.quotaBytes);
        expect(await tree()).toEqual({ 'a.txt': text(sizes.length - 1) });
        const again = new UndoStore({ folder, sessionId: 's', roots: [] });
        for (let run = sizes.length - 1; run >= forgottenRuns; run--) {
          expect((await undo(again))?.restored).toEqual([at('a.txt')]);
          expect(await tree()).toEqual({ 'a.txt': text(run - 1) });
        }
        await again.close();
      }),
      { numRuns },
    );
  },
);

function sizeOfPacks(objects: string): number {
  const packs = readdirSync(objects).filter((name) => name.endsWith('.pack'));
  return packs.reduce((sum, name) => sum + statSync(path.join(objects, name)).size, 0);
}

test('a session above its quota prunes automatically, and reports what is lost', async () => {
  const { root, at, home } = await storeFor({});
  const told: string[] = [];
  const store = new UndoStore({
    folder: path.join(home, 'undo'),
    sessionId: 's',
    roots: [root],
    quotaBytes: 3 * 1024 * 1024,
    onTrouble: (text) => told.push(text),
  });
  for (let i = 0; i < 6; i++) {
    begin(store);
    writeFileSync(at('big.bin'), `${i}`.repeat(1024 * 1024));
    await command(store, root, `printf ${i} > small.txt; truncate -s 0 big.bin`);
  }
  await store.close();
  expect(sizeOfUndo(path.join(home, 'undo'))).toBeLessThan(4 * 1024 * 1024);
  expect(told[0]).toMatch(
    /^Undo storage is over its limit \(undoLimitMb\): the (\d+ )?oldest runs? in this folder can no longer be undone\.$/,
  );
  expect((await undo(store))?.restored).toEqual([at('big.bin'), at('small.txt')]);
});

test('undo data of a folder without sessions is eventually removed entirely', async () => {
  const { root, home, store } = await storeFor({ 'a.txt': 'one' });
  const folder = path.join(home, 'undo', '0123456789abcdef');
  const other = new UndoStore({ folder, sessionId: 'gone', roots: [root] });
  begin(other);
  await command(other, root, 'true');
  await other.close();
  await store.close();
  rmSync(path.join(folder, 'gone.jsonl'));
  await pruneAllUndo([folder], { days: 30 });
  expect(readdirSync(folder)).toContain('trees');
  await pruneAllUndo([folder], { days: 30, now: Date.now() + 31 * 24 * HOURS });
  expect(readdirSync(path.join(home, 'undo'))).not.toContain('0123456789abcdef');
});

test('scattered small packs are merged', async () => {
  const { home } = await storeFor({});
  const folder = path.join(home, 'undo');
  const log = [{ type: 'run', at: '1', prompt: '', message: 0 }] as object[];
  for (let i = 0; i < 150; i++) {
    const objects = new Objects(path.join(folder, 'objects'), { fresh: true });
    const hash = objects.put(Buffer.from(`content ${i}`));
    objects.close();
    log.push({ type: 'change', path: `/p/${i}`, before: { type: 'file', mode: null, hash }, after: null });
  }
  writeFileSync(path.join(folder, 's.jsonl'), log.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await pruneUndo(folder, { now: Date.now() + 2 * HOURS });
  const kept = new Objects(path.join(folder, 'objects'));
  const hashes = log.flatMap((record) =>
    'before' in record ? [(record.before as { hash: string }).hash] : [],
  );
  expect(hashes.filter((hash) => kept.get(hash) === null)).toEqual([]);
  expect(readdirSync(path.join(folder, 'objects')).filter((name) => name.endsWith('.pack')).length).toBe(1);
});
