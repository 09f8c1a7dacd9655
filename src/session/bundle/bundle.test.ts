import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Machine, machine, sessionOn } from '../../../test/support/bundles.ts';
import { histories, prompt, reply } from '../../../test/support/histories.ts';
import { rounds, sweep } from '../../../test/support/soak.ts';
import { begin, command, edit, pictureOf, redo, undo } from '../../../test/support/undo.ts';
import { rerooting } from './reroot.ts';

const name = fc.constantFrom('a.ts', 'b/c.ts', 'd e/é.bin', 'big');
const deed = fc.oneof(
  fc.record({ name, text: fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(1_000_000))) }),
  fc.record({
    script: fc.constantFrom(
      'rm -rf b',
      'mkdir -p b && echo 1 >> b/c.ts',
      'ln -sf a.ts link',
      'chmod 640 a.ts',
    ),
  }),
);
const runs = fc.array(fc.array(deed, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });

/** What a session is, with the places of its machine replaced; each import notes that it was one. */
async function contentOf({ root, home, store, undo: undoOf }: Machine, id: string) {
  const session = await store.read(id);
  const text = JSON.stringify({ ...session, id: '', sources: [] }).replaceAll(id, 'ID');
  const changes = await undoOf(id).runs();
  return JSON.parse(
    rerooting([
      { from: root, to: '/P' },
      { from: home, to: '/H' },
    ])(JSON.stringify([JSON.parse(text), changes])),
  ) as unknown;
}

async function sessionWithRuns(
  source: Machine,
  messages: Parameters<typeof sessionOn>[1],
  all: (typeof deed extends fc.Arbitrary<infer D> ? D : never)[][],
) {
  return sessionOn(source, messages, async (store) => {
    for (const [i, deeds] of all.entries()) {
      if (i > 0) begin(store);
      for (const one of deeds) {
        if ('script' in one) await command(store, source.root, `(${one.script}) 2>/dev/null; true`);
        else {
          const file = path.join(source.root, one.name);
          await command(store, source.root, `mkdir -p "$(dirname '${one.name}')"`);
          await edit(store, file, one.text);
        }
      }
    }
  });
}

describe('property: a session that is moved', () => {
  sweep([2, rounds(8, 100)])(
    'has the same content, undoes and redoes to the same bytes, and comes back identical (%i sessions)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(histories, runs, async (messages, all) => {
          const source = await machine({ 'a.ts': 'one\n', 'keep.txt': 'kept\n' });
          const target = await machine();
          const before = pictureOf(source.root);
          const id = await sessionWithRuns(source, messages, all);
          const { file } = await source.pack(id, undefined, { allFiles: true });
          const { id: moved } = await target.unpack(file);
          expect(moved).toBe(id);
          expect(pictureOf(target.root)).toEqual(pictureOf(source.root));
          expect(await contentOf(target, id)).toEqual(await contentOf(source, id));

          const back = await machine();
          const again = await target.pack(id);
          await back.unpack(again.file);
          expect(pictureOf(back.root)).toEqual(pictureOf(source.root));
          expect(await contentOf(back, id)).toEqual(await contentOf(source, id));

          const after = pictureOf(target.root);
          for (let undone = await undo(target.undo(id)); undone; undone = await undo(target.undo(id)));
          expect(pictureOf(target.root)).toEqual(before);
          for (let done = await redo(target.undo(id)); done; done = await redo(target.undo(id)));
          expect(pictureOf(target.root)).toEqual(after);
        }),
        { numRuns },
      );
    },
    { timeout: 600_000 },
  );
});

test('at the same path, the files of a session are the same bytes', async () => {
  const source = await machine({ 'a.ts': 'one\n' });
  const id = await sessionOn(source, [prompt('hi'), reply('Hello.')], (store) =>
    edit(store, path.join(source.root, 'a.ts'), 'two\n'),
  );
  const { file } = await source.pack(id);
  const { journal, subagents } = source.placeOf(id);
  const picture = pictureOf(subagents);
  const before = readFileSync(journal, 'utf8');
  await source.store.delete(id);
  await source.unpack(file);
  expect(pictureOf(subagents)).toEqual(picture);
  const after = readFileSync(journal, 'utf8');
  expect(after.slice(0, before.length)).toBe(before);
  expect(after.slice(before.length)).toMatch(/^\{"type":"source","source":\{"kind":"foreign".*\n$/);
});

test('an id that is taken is not overwritten: the import gets another one', async () => {
  const source = await machine({ 'a.ts': 'one\n' });
  const id = await sessionOn(source, [prompt('hi'), reply('Hello.')]);
  const { file } = await source.pack(id);
  const before = readFileSync(source.placeOf(id).journal);
  const { id: copy } = await source.unpack(file);
  expect(copy).not.toBe(id);
  expect(readFileSync(source.placeOf(id).journal)).toEqual(before);
  const session = await source.store.read(copy);
  expect(session?.id).toBe(copy);
  expect(JSON.stringify(session?.messages)).toContain(`outputs/${copy}/c1.txt`);
});

test('empty folders come with a session, also where its commands changed the folder around them', async () => {
  const folders = ['sub', 'deep/er', 'shut/in', 'unnamed'];
  const named = async (allFiles: boolean) => {
    const source = await machine({ 'shut/a.ts': 'a\n' });
    for (const folder of folders) await mkdir(path.join(source.root, folder), { recursive: true });
    const messages = [prompt('ls; cd sub/ && cat shut/a.ts; ls deep/er shut/in')];
    const id = await sessionOn(
      source,
      messages,
      async (store) => void (await command(store, source.root, 'chmod 700 shut; mkdir new')),
    );
    const { file } = await source.pack(id, undefined, { allFiles });
    const target = await machine();
    await target.unpack(file);
    return { here: pictureOf(source.root), there: pictureOf(target.root) };
  };
  const all = await named(true);
  expect(all.there).toEqual(all.here);
  const some = await named(false);
  const { unnamed: _, ...rest } = some.here;
  expect(some.there).toEqual(rest);
});

test('links into the folder lead into it where it is imported, also after undo; other links stay', async () => {
  const source = await machine({ 'src/x': 'x\n' });
  const { root } = source;
  await symlink(path.join(root, 'src/x'), path.join(root, 'inside'));
  await symlink(`${root}-other/x`, path.join(root, 'beside'));
  await symlink(root, path.join(root, 'itself'));
  const id = await sessionOn(
    source,
    [prompt('hi'), reply('Hello.')],
    async (store) => void (await command(store, root, `rm inside; ln -s "$PWD/src" made`)),
  );
  const { file } = await source.pack(id, undefined, { allFiles: true });
  const target = await machine();
  await target.unpack(file);
  const linked = (name: string) => readlinkSync(path.join(target.root, name));
  expect(linked('made')).toBe(path.join(target.root, 'src'));
  expect(linked('beside')).toBe(`${root}-other/x`);
  expect(linked('itself')).toBe(target.root);
  await undo(target.undo(id));
  expect(linked('inside')).toBe(path.join(target.root, 'src/x'));
  expect(readdirSync(target.root).sort()).toEqual(['beside', 'inside', 'itself', 'src']);
});

test('a pipe is not imported, and that is why', async () => {
  const source = await machine();
  const id = await sessionOn(
    source,
    [prompt('hi')],
    async (store) => void (await command(store, source.root, 'mkfifo pipe')),
  );
  const { file } = await source.pack(id);
  const target = await machine();
  expect((await target.unpack(file)).files?.kept).toEqual([
    { path: path.join(target.root, 'pipe'), because: 'pipes, sockets and devices cannot be restored' },
  ]);
});

describe('secrets', () => {
  const SECRET = 'sk-canary-0123456789';
  const redaction = {
    learn: () => undefined,
    hide: (text: string) => text.replaceAll(SECRET, '[secret:1]'),
    isClosed: (file: string) => file.endsWith('.env'),
  };

  test('are in no part of a bundle, even if they arrived in pieces; files with them are named and not undone', async () => {
    const source = await machine({ 'a.ts': `key = "${SECRET}"\n`, 'b.ts': 'b\n', '.env': 'PORT=1\n' });
    const id = await sessionOn(source, [prompt(`use ${SECRET}`), reply(`ok ${SECRET}`)], async (store) => {
      await edit(store, path.join(source.root, 'a.ts'), 'key = env\n');
      await edit(store, path.join(source.root, 'b.ts'), 'c\n');
      await edit(store, path.join(source.root, '.env'), 'PORT=2\n');
    });
    const { journal, outputs } = source.placeOf(id);
    const pieces = [SECRET.slice(0, 7), SECRET.slice(7)].map((text) =>
      JSON.stringify({ type: 'delta', kind: 'text', text }),
    );
    await writeFile(journal, `${readFileSync(journal, 'utf8')}${pieces.join('\n')}\n`);
    await writeFile(path.join(outputs, 'c2.txt'), `printed ${SECRET}\n`);

    const { file, withheld, contents } = await source.pack(id, redaction);
    expect(withheld.sort()).toEqual(['.env', 'a.ts']);
    for (const { read } of contents) expect(Buffer.from(read()).toString('latin1')).not.toContain(SECRET);

    const target = await machine({ 'a.ts': 'key = env\n', 'b.ts': 'c\n', '.env': 'PORT=2\n' });
    const imported = await target.unpack(file);
    expect(imported.withheld.sort()).toEqual([
      path.join(target.root, '.env'),
      path.join(target.root, 'a.ts'),
    ]);
    const because = 'its saved copy contains secrets and was left out of the imported bundle';
    expect((await target.undo(id).previewUndo())?.conflicts.map((one) => one.because)).toEqual([
      because,
      because,
    ]);
    await undo(target.undo(id));
    expect(await target.tree()).toEqual({ 'a.ts': 'key = env\n', 'b.ts': 'b\n', '.env': 'PORT=2\n' });
  });
});

test.each([
  ['/srv/app/a.ts', '/new/a.ts'],
  ['in /srv/app.', 'in /new.'],
  ['"/srv/app"', '"/new"'],
  ['file:///srv/app/x', 'file:///new/x'],
  ['/srv/app-2/a', '/srv/app-2/a'],
  ['/srv/app.git', '/srv/app.git'],
  ['/srv/apple', '/srv/apple'],
  ['/old/srv/app/a', '/old/srv/app/a'],
  ['/srv/app/data/x', '/data/x'],
])('%s becomes %s where the folder moved', (text, expected) => {
  const moves = [
    { from: '/srv/app', to: '/new' },
    { from: '/srv/app/data', to: '/data' },
  ];
  expect(rerooting(moves)(text)).toBe(expected);
});
