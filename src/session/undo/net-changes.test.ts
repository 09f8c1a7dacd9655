import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { begin, command, edit, storeFor } from '../../../test/support/undo.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { netChanges } from './net-changes.ts';
import { Objects } from './objects.ts';
import type { UndoStore } from './undo-store.ts';

const lines = (added: number, removed: number) => ({ added, removed });

test('edits and commands of the run count together, by file', async () => {
  const { root, at, store } = await storeFor({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
  begin(store);
  await edit(store, at('a.txt'), 'one\n2\n');
  await edit(store, at('a.txt'), 'one\n2\n3\n');
  await command(store, root, 'rm b.txt; printf "x\\ny\\n" > new.txt');

  expect(await store.changed()).toEqual([
    { path: at('a.txt'), lines: lines(2, 1) },
    { path: at('b.txt'), lines: lines(0, 1) },
    { path: at('new.txt'), lines: lines(2, 0) },
  ]);
});

test('a file that was changed and restored, or made and removed, does not count', async () => {
  const { root, at, store } = await storeFor({ 'a.txt': 'one\n' });
  begin(store);
  await edit(store, at('a.txt'), 'two\n');
  await command(store, root, 'echo one > a.txt; touch made');
  await command(store, root, 'rm made');

  expect(await store.changed()).toEqual([]);
});

test('only the current run counts, whether or not it has changed anything', async () => {
  const { at, store } = await storeFor({ 'a.txt': 'one\n' });
  begin(store);
  await edit(store, at('a.txt'), 'two\n');
  begin(store);
  expect(await store.changed()).toEqual([]);
  await edit(store, at('b.txt'), 'new\n');
  expect(await store.changed()).toEqual([{ path: at('b.txt'), lines: lines(1, 0) }]);
});

test('a change that was recorded but not made does not count, nor one that may be the user’s', async () => {
  const { root, at, store } = await storeFor({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
  begin(store);
  await store.keep({ path: at('a.txt'), before: Buffer.from('one\n'), after: Buffer.from('two\n') });
  await store.commandBegins();
  writeFileSync(at('b.txt'), 'mine\n');
  await store.commandEnded({ commands: [{ command: 'sleep 5', cwd: root }], endedAt: Date.now(), ms: 5_000 });

  expect(await store.changed()).toEqual([]);
});

test('binary files count without lines, and no lines are counted in very many files', async () => {
  const { root, at, store } = await storeFor({});
  begin(store);
  await edit(store, at('picture'), 'a\0b\n');
  expect(await store.changed()).toEqual([{ path: at('picture'), lines: lines(0, 0) }]);
  await command(store, root, 'for i in $(seq 201); do echo x > f$i; done');
  const changed = await store.changed();
  expect(changed).toHaveLength(202);
  expect(changed.every((change) => change.lines === null)).toBe(true);
});

type Act = { by: 'edit' | 'command'; file: string; text: string | null };

/** Exactly the files that differ from before, whatever was done in between. */
sweep([8, 25])(
  'whatever a run does, the files that differ in the end are those that count (%i runs)',
  async (numRuns) => {
    const name = fc.constantFrom('a', 'b', 'c');
    const act: fc.Arbitrary<Act> = fc.record({
      by: fc.constantFrom('edit' as const, 'command' as const),
      file: name,
      text: fc.option(fc.constantFrom('', 'x\n', 'y\nz\n')),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 6 }), async (acts) => {
        const before: Record<string, string> = { a: 'x\n', b: '' };
        const { root, at, store, tree } = await storeFor(before);
        begin(store);
        for (const one of acts) await perform(one, { root, at, store });
        const after = await tree();
        const differs = ['a', 'b', 'c'].filter((file) => before[file] !== after[file]);
        expect((await store.changed()).map(({ path }) => path).toSorted()).toEqual(differs.map(at));
      }),
      { numRuns },
    );
  },
);

async function perform(
  { by, file, text }: Act,
  { root, at, store }: { root: string; at(name: string): string; store: UndoStore },
): Promise<void> {
  if (by === 'command')
    await command(store, root, text === null ? `rm -f ${file}` : `printf '${text}' > ${file}`);
  else if (text !== null) await edit(store, at(file), text);
}

test('a content that was not saved leaves the lines uncounted', async () => {
  const { root, home } = await workspace({ a: 'x' });
  const state = (hash: string | null) => ({ type: 'file' as const, mode: null, hash });
  const changes = [{ path: `${root}/a`, before: null, after: state(null) }];
  expect(await netChanges(changes, new Objects(`${home}/objects`))).toEqual([
    { path: `${root}/a`, lines: null },
  ]);
  expect(readFileSync(`${root}/a`, 'utf8')).toBe('x');
  rmSync(`${root}/a`);
  expect(await netChanges(changes, new Objects(`${home}/objects`))).toEqual([]);
});
