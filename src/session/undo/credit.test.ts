import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { begin, command, pictureOf, storeFor, undo, undoAll } from '../../../test/support/undo.ts';
import { credited } from './credit.ts';
import type { FileState } from './file-state.ts';

const file: FileState = { type: 'file', mode: 0o644, hash: 'x' };
const CHANGED = { before: file, after: { ...file, hash: 'y' } };
const MADE = { before: null, after: file };
const REMOVED = { before: file, after: null };

type Row = [line: string, path: string, change: typeof CHANGED | typeof MADE | typeof REMOVED];

const doubtIn = ([line, path, change]: Row, { ms = 5000, others = false, at = 1000 } = {}) =>
  credited(
    { path, ...change, at },
    { facts: { commands: [{ command: line, cwd: '/p' }], endedAt: 1000, ms }, others },
  ).doubt;

describe('a long-running command', () => {
  const named: Row[] = [
    ['sleep 5; echo x > out.txt', '/p/out.txt', CHANGED],
    ['sed -i s/a/b/ "src/a b.ts" src/c.ts', '/p/src/c.ts', CHANGED],
    ['sed -i s/a/b/ src/*.ts', '/p/src/c.ts', CHANGED],
    ['cd src && ./fix c.ts', '/p/src/c.ts', CHANGED],
    ['make OUT=build/app', '/p/build/app', CHANGED],
    ['rm -r src', '/p/src/deep/a.ts', REMOVED],
    ['mv src lib', '/p/lib/a.ts', MADE],
    ['cp -r template/. app', '/p/app/a.ts', MADE],
    ['rm -rf /p/src/', '/p/src/a.ts', REMOVED],
    ['touch ./x', '/p/x', MADE],
  ];
  test.each(named)('%s certainly changed %s', (...row) => {
    expect(doubtIn(row)).toBeUndefined();
    expect(doubtIn(row, { others: true })).toBeUndefined();
  });

  const unnamed: Row[] = [
    ['npm test', '/p/src/a.ts', CHANGED],
    ['npm install', '/p/package.json', CHANGED],
    ['prettier --write .', '/p/a.ts', CHANGED],
    ['grep -r x src; make', '/p/src/a.ts', CHANGED],
    ['make ../p', '/p/a.ts', MADE],
    ['ls *', '/p/a.ts', CHANGED],
    ['ls / /p .. .', '/p/a.ts', REMOVED],
    ['echo a', '/p/ba', CHANGED],
    ['sleep 5', '/p/mine.txt', MADE],
  ];
  test.each(unnamed)('%s may not have changed %s', (...row) => {
    expect(doubtIn(row)).toBe('it was changed while a command ran (5s), perhaps by you');
    expect(doubtIn(row, { ms: 200 })).toBeUndefined();
    expect(doubtIn(row, { ms: 200, others: true })).toBe('a background command, or you, may have changed it');
  });

  test('changes after its end are not attributed to it, whatever it names', () => {
    for (const row of [...named, ...unnamed])
      expect(doubtIn(row, { at: 5000, ms: 10 })).toBe('it was changed after the command had ended');
  });
});

describe('changes by the user', () => {
  const long = (line: string, cwd: string) => ({
    commands: [{ command: line, cwd }],
    endedAt: Date.now(),
    ms: 4000,
  });

  test("during a command are shown separately and stay; the command's own are undone", async () => {
    const { root, at, tree, store } = await storeFor({ 'a.txt': 'one', 'mine.txt': 'one' });
    begin(store);
    await store.commandBegins();
    writeFileSync(at('out.txt'), 'made by the command');
    writeFileSync(at('mine.txt'), 'my work');
    await store.commandEnded(long('sleep 3; echo x > out.txt', root));
    expect(await store.previewUndo()).toMatchObject({
      files: [{ path: at('out.txt'), change: 'remove' }],
      uncertain: [
        {
          path: at('mine.txt'),
          change: 'restore',
          because: 'it was changed while a command ran (4s), perhaps by you',
        },
      ],
    });
    expect(await undo(store)).toEqual({ restored: [], removed: [at('out.txt')], kept: [] });
    expect(await tree()).toEqual({ 'a.txt': 'one', 'mine.txt': 'my work' });
  });

  test('after a kill during a command stay, whatever the next process does first', async () => {
    const { at, tree, open, store } = await storeFor({ 'a.txt': 'one', 'mine.txt': 'one' });
    begin(store);
    await store.commandBegins();
    writeFileSync(at('a.txt'), 'by the command that was cut off');
    writeFileSync(at('mine.txt'), 'my work of the next day');
    const next = open();
    expect((await next.previewUndo())?.files).toEqual([]);
    expect((await undo(next))?.restored).toEqual([]);
    expect(await tree()).toMatchObject({ 'mine.txt': 'my work of the next day' });
  });

  test('can be undone on request, file by file', async () => {
    const { root, at, tree, store } = await storeFor({ 'a.txt': 'one', 'b.txt': 'one' });
    begin(store);
    await store.commandBegins();
    for (const name of ['a.txt', 'b.txt']) writeFileSync(at(name), 'two');
    await store.commandEnded(long('make', root));
    const pending = await store.previewUndo();
    expect(pending?.files).toEqual([]);
    expect(await pending?.apply([at('b.txt')])).toEqual({ restored: [at('b.txt')], removed: [], kept: [] });
    expect(await tree()).toEqual({ 'a.txt': 'two', 'b.txt': 'one' });
  });
});

describe('a background command', () => {
  test('is attributed to the run that started it, not to the one during which it changes something', async () => {
    const { root, at, tree, store } = await storeFor({ 'a.txt': 'one', 'b.txt': 'one', 'c.txt': 'one' });
    let running = true;
    begin(store);
    await command(store, root, 'true');
    await store.continuesInBackground({
      command: 'node server.js > b.txt',
      cwd: root,
      isRunning: () => running,
    });
    begin(store);
    await command(store, root, 'echo two > a.txt');
    writeFileSync(at('b.txt'), 'by the server');
    writeFileSync(at('c.txt'), 'by the server, or by a person');
    running = false;
    begin(store);
    await command(store, root, 'echo three > a.txt');

    await undo(store);
    expect(await tree()).toMatchObject({ 'a.txt': 'two\n', 'b.txt': 'by the server' });
    await undo(store);
    expect(await tree()).toMatchObject({ 'a.txt': 'one', 'b.txt': 'by the server' });
    const first = await store.previewUndo();
    expect(first?.files.map(({ path }) => path)).toEqual([at('b.txt')]);
    expect(first?.uncertain.map(({ path }) => path)).toEqual([at('c.txt')]);
    await undoAll(store);
    expect(await tree()).toEqual({ 'a.txt': 'one', 'b.txt': 'one', 'c.txt': 'one' });
  });

  test('changes until the end of the session count, and those of a file tool meanwhile belong to the tool', async () => {
    const { root, at, open, store } = await storeFor({ 'b.txt': 'one' });
    begin(store);
    await command(store, root, 'true');
    await store.continuesInBackground({ command: 'watch > b.txt', cwd: root, isRunning: () => false });
    begin(store);
    await store.keep({ path: at('tool.txt'), before: null, after: Buffer.from('by a tool') });
    writeFileSync(at('tool.txt'), 'by a tool');
    writeFileSync(at('b.txt'), 'by the command');
    await store.close();
    const later = open();
    expect((await undo(later))?.removed).toEqual([at('tool.txt')]);
    expect((await undo(later))?.restored).toEqual([at('b.txt')]);
    expect(Object.keys(pictureOf(root))).toEqual(['b.txt']);
  });
});
