import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { chmod, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  begin,
  command,
  edit,
  pictureOf,
  quick,
  redo,
  storeFor,
  undo,
  undoAll,
} from '../../../test/support/undo.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { FileChange } from '../../contract/file-change.ts';
import { readUndoRecords } from './undo-log.ts';
import { UndoStore } from './undo-store.ts';

const bytes = (text: string) => Buffer.from(text);

describe('changes by file tools', () => {
  test('the last run is undone completely: changed files restored, new files removed, modes kept', async () => {
    const { at, tree, store, open } = await storeFor({ 'a.sh': 'one' });
    await chmod(at('a.sh'), 0o755);
    begin(store);
    await edit(store, at('a.sh'), 'two');
    begin(store);
    await edit(store, at('a.sh'), 'three');
    await edit(store, at('a.sh'), 'four');
    await edit(store, at('new.txt'), 'new');

    expect(await undo(store)).toEqual({ restored: [at('a.sh')], removed: [at('new.txt')], kept: [] });
    expect(await tree()).toEqual({ 'a.sh': 'two' });
    expect(lstatSync(at('a.sh')).mode & 0o777).toBe(0o755);

    expect((await undo(open()))?.restored).toEqual([at('a.sh')]);
    expect(await tree()).toEqual({ 'a.sh': 'one' });
    expect(await undo(store)).toBe(null);
  });

  test('folders created for a file are removed with it, unless they contain something else', async () => {
    const { root, at, store } = await storeFor({});
    for (const name of ['x', 'y']) {
      begin(store);
      await store.keep({
        path: at(`${name}/deep/f`),
        before: null,
        after: bytes('new'),
        madeFolders: [at(name), at(`${name}/deep`)],
      });
      mkdirSync(at(`${name}/deep`), { recursive: true });
      writeFileSync(at(`${name}/deep/f`), 'new');
    }
    writeFileSync(at('x/mine'), 'mine');
    await undo(store);
    expect((await undo(store))?.kept).toEqual([{ path: at('x'), because: 'it now contains something else' }]);
    expect(Object.keys(pictureOf(root))).toEqual(['x', 'x/mine']);
  });

  test('a preview shows what would change, line by line, and changes nothing', async () => {
    const { at, tree, store } = await storeFor({ 'a.txt': 'one\ntwo\nthree\n' });
    begin(store);
    await edit(store, at('a.txt'), 'one\n2\nthree\nfour\n');
    await edit(store, at('b.txt'), 'x\ny\n');
    expect((await store.previewUndo())?.files).toEqual([
      { path: at('a.txt'), change: 'restore', added: 1, removed: 2 },
      { path: at('b.txt'), change: 'remove', added: 0, removed: 2 },
    ]);
    expect(await tree()).toEqual({ 'a.txt': 'one\n2\nthree\nfour\n', 'b.txt': 'x\ny\n' });
  });

  test("the user's own later edit of the same lines is never overwritten, and is reported", async () => {
    const { at, tree, store } = await storeFor({ 'a.txt': 'one', 'b.txt': 'one' });
    begin(store);
    await edit(store, at('a.txt'), 'two');
    await edit(store, at('b.txt'), 'two');
    await writeFile(at('a.txt'), 'mine');
    expect((await undo(store))?.kept).toEqual([
      { path: at('a.txt'), because: 'the same lines were changed later' },
    ]);
    expect(await tree()).toEqual({ 'a.txt': 'mine', 'b.txt': 'one' });
  });

  test("the user's later edit of other lines stays while the change is undone", async () => {
    const lines = (a: string, b: string) => `${a}\n1\n2\n3\n4\n5\n${b}\n`;
    const { at, tree, store } = await storeFor({ 'a.txt': lines('head', 'tail') });
    begin(store);
    await edit(store, at('a.txt'), lines('HEAD', 'tail'));
    await writeFile(at('a.txt'), lines('HEAD', 'my tail'));
    await undo(store);
    expect(await tree()).toEqual({ 'a.txt': lines('head', 'my tail') });
    await redo(store);
    expect(await tree()).toEqual({ 'a.txt': lines('HEAD', 'my tail') });
  });

  test('deleted files are restored, even where something new took their place', async () => {
    const { at, root, store } = await storeFor({ 'd/run.sh': 'one', 'gone.sh': 'x' });
    chmodSync(at('d/run.sh'), 0o751);
    chmodSync(at('gone.sh'), 0o700);
    await symlink('../nowhere', at('d/link'));
    mkdirSync(at('d/empty'), { mode: 0o700 });
    chmodSync(at('d'), 0o750);
    const original = pictureOf(root);
    begin(store);
    const gone = (name: string, before: string, was: FileChange['was']) =>
      store.keep({ path: at(name), before: bytes(before), after: null, ...(was && { was }) });
    await gone('d', '', { type: 'folder', mode: 0o750 });
    await gone('d/empty', '', { type: 'folder', mode: 0o700 });
    await gone('d/link', '../nowhere', { type: 'link', mode: 0o777 });
    await gone('d/run.sh', 'one', { type: 'file', mode: 0o751 });
    await gone('gone.sh', 'x', { type: 'file', mode: 0o700 });
    await rm(at('d'), { recursive: true });
    await rm(at('gone.sh'));
    await edit(store, at('gone.sh'), 'made again');

    expect(await undo(store)).toEqual({
      restored: ['d', 'd/empty', 'd/link', 'd/run.sh', 'gone.sh'].map(at),
      removed: [],
      kept: [],
    });
    expect(pictureOf(root)).toEqual(original);
  });

  test('a change that was recorded but not made does not block the others', async () => {
    const { at, tree, store } = await storeFor({ 'a.txt': 'one', 'b.txt': 'one' });
    begin(store);
    await edit(store, at('a.txt'), 'two');
    await store.keep({ path: at('a.txt'), before: bytes('two'), after: bytes('never') });
    begin(store);
    await store.keep({ path: at('b.txt'), before: bytes('one'), after: bytes('never') });
    expect(await undo(store)).toEqual({ restored: [at('a.txt')], removed: [], kept: [] });
    expect(await tree()).toEqual({ 'a.txt': 'one', 'b.txt': 'one' });
  });

  test('parallel changes belong to one run', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `${i}.txt`);
    const files = Object.fromEntries(names.map((name) => [name, 'one']));
    const { at, tree, store } = await storeFor(files);
    begin(store);
    await Promise.all(names.map((name) => edit(store, at(name), 'two')));
    expect((await undo(store))?.restored.length).toBe(20);
    expect(await tree()).toEqual(files);
  });

  test('a folder replaced by a link is not followed', async () => {
    const { at, home, store } = await storeFor({ 'd/a.txt': 'one' });
    begin(store);
    await edit(store, at('d/a.txt'), 'two');
    const outside = path.join(home, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'a.txt'), 'two');
    rmSync(at('d'), { recursive: true });
    symlinkSync(outside, at('d'));
    expect((await undo(store))?.kept).toEqual([
      { path: at('d/a.txt'), because: 'its folder now points elsewhere' },
    ]);
    expect(readFileSync(path.join(outside, 'a.txt'), 'utf8')).toBe('two');
  });
});

describe('changes by commands', () => {
  const everyday: [string, string][] = [
    ['rm', 'rm -r src a.txt'],
    ['sed -i', 'sed -i s/one/two/ a.txt src/b.txt'],
    ['mv', 'mv src lib && mv a.txt lib/c.txt'],
    ['appending in place', 'echo more >> a.txt'],
    ['chmod', 'chmod 600 a.txt && chmod 500 src'],
    ['links', 'rm a.txt && ln -s src/b.txt a.txt'],
    ['a file in the place of a folder', 'rm -r src && echo x > src'],
    ['new folders', 'mkdir -p x/y/z && touch x/y/f'],
    ['same size, old time', "printf 'two' > a.txt && touch -d 2001-01-01 a.txt"],
  ];
  test.each(everyday)('%s is undone and redone', async (_, script) => {
    const { root, store, open } = await storeFor({ 'a.txt': 'one', 'src/b.txt': 'one' });
    const before = pictureOf(root);
    begin(store);
    await command(store, root, script);
    const after = pictureOf(root);
    expect(after).not.toEqual(before);

    await undo(store);
    expect(pictureOf(root)).toEqual(before);
    await redo(open());
    expect(pictureOf(root)).toEqual(after);
    await undo(open());
    expect(pictureOf(root)).toEqual(before);
  });

  test('git reset --hard, checkout and clean on uncommitted, untracked and ignored files', async () => {
    const { root, at, store } = await storeFor({ 'a.txt': 'committed', '.gitignore': 'ignored/\n' });
    const git = 'git -c user.name=a -c user.email=a@b.c -c init.defaultBranch=main';
    execFileSync('sh', ['-c', `${git} init -q && ${git} add . && ${git} commit -qm x`], { cwd: root });
    await writeFile(at('a.txt'), 'my work');
    mkdirSync(at('ignored'));
    await writeFile(at('ignored/local.cfg'), 'mine');
    await writeFile(at('untracked.txt'), 'new work');
    const head = () => readFileSync(at('.git/HEAD'), 'utf8') + readFileSync(at('.git/index')).toString('hex');
    begin(store);
    await command(store, root, `${git} reset -q --hard && ${git} clean -qfdx`);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('committed');
    const gitState = head();
    await undo(store);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('my work');
    expect(readFileSync(at('ignored/local.cfg'), 'utf8')).toBe('mine');
    expect(readFileSync(at('untracked.txt'), 'utf8')).toBe('new work');
    expect(head()).toBe(gitState);
  });

  test('a command interrupted by a crash is undone on request', async () => {
    const { root, store, open, tree } = await storeFor({ 'a.txt': 'one' });
    begin(store);
    await store.commandBegins();
    execFileSync('rm', ['a.txt'], { cwd: root });
    const late = open();
    expect(await late.previewUndo()).toMatchObject({
      files: [],
      conflicts: [],
      uncertain: [{ path: path.join(root, 'a.txt'), change: 'restore' }],
    });
    await undoAll(late);
    expect(await tree()).toEqual({ 'a.txt': 'one' });
  });

  test('an interrupted command that ends after the next prompt was sent belongs to its own run', async () => {
    const { root, at, store, tree, home } = await storeFor({ 'a.txt': 'one' });
    begin(store);
    await store.commandBegins();
    await writeFile(at('half.txt'), 'half');
    begin(store);
    await store.commandEnded(quick('make half', root));
    await edit(store, at('a.txt'), 'two');
    const records = readUndoRecords(path.join(home, 'undo', 's.jsonl'));
    expect(records.map(({ type }) => type)).toEqual(['run', 'command', 'command_end', 'run', 'change']);

    expect((await undo(store))?.restored).toEqual([at('a.txt')]);
    expect(await tree()).toEqual({ 'a.txt': 'one', 'half.txt': 'half' });
    expect((await undo(store))?.removed).toEqual([at('half.txt')]);
  });

  test('what the user did before a command is not undone with it', async () => {
    const { root, at, store, tree } = await storeFor({ 'a.txt': 'one', 'b.txt': 'one' });
    begin(store);
    await command(store, root, 'echo two > a.txt');
    await writeFile(at('b.txt'), 'mine');
    begin(store);
    await command(store, root, 'echo three > a.txt');
    await undo(store);
    await undo(store);
    expect(await tree()).toEqual({ 'a.txt': 'one', 'b.txt': 'mine' });
  });

  test('several runs are undone at once, and redone at once', async () => {
    const { root, at, store, tree } = await storeFor({ 'a.txt': 'one' });
    begin(store);
    await edit(store, at('a.txt'), 'two');
    begin(store);
    await command(store, root, 'echo three > a.txt; echo x > b.txt');
    await undo(store, 0);
    expect(await tree()).toEqual({ 'a.txt': 'one' });
    await redo(store);
    expect(await tree()).toEqual({ 'a.txt': 'three\n', 'b.txt': 'x\n' });
  });

  test('a large folder that can be rebuilt is skipped, reported once, and never emptied by an undo', async () => {
    const space = await workspace({ 'a.txt': 'one' });
    const modules = path.join(space.root, 'node_modules');
    mkdirSync(modules);
    for (let i = 0; i < 12; i++) writeFileSync(path.join(modules, `${i}.js`), String(i));
    const limits = { entries: 1000, bytes: 1e6, fileBytes: 1e5, builtEntries: 10, builtBytes: 1e6 };
    const store = new UndoStore({
      folder: path.join(space.home, 'undo'),
      sessionId: 's',
      roots: [space.root],
      limits,
    });
    begin(store);
    expect(await store.commandBegins()).toEqual([
      `Changes made by commands in ${modules} cannot be undone: it is large and can be rebuilt.`,
    ]);
    // Now small enough to store: the rest must not appear new.
    execFileSync('sh', ['-c', 'rm node_modules/1*.js; rm a.txt'], { cwd: space.root });
    await store.commandEnded(quick('', '/'));
    expect(await store.commandBegins()).toEqual([]);
    await store.commandEnded(quick('', '/'));
    await undo(store);
    expect(readFileSync(path.join(space.root, 'a.txt'), 'utf8')).toBe('one');
    expect(readdirSync(modules).length).toBe(9);
  });

  test('a folder above the limits is reported and left alone', async () => {
    const space = await workspace({ 'a.txt': 'one', 'b.txt': 'one' });
    const limits = { entries: 1, bytes: 1e6, fileBytes: 1e5, builtEntries: 10, builtBytes: 1e6 };
    const options = { folder: path.join(space.home, 'undo'), sessionId: 's', roots: [space.root], limits };
    const store = new UndoStore(options);
    begin(store);
    expect(await store.commandBegins()).toEqual([
      'This folder is too large: changes made by commands cannot be undone.',
    ]);
    execFileSync('rm', ['a.txt'], { cwd: space.root });
    await store.commandEnded(quick('', '/'));
    expect(await undo(store)).toBe(null);
  });

  test('damaged content is never restored', async () => {
    const { root, home, store, tree } = await storeFor({ 'a.txt': 'one' });
    begin(store);
    await command(store, root, 'rm a.txt');
    const objects = path.join(home, 'undo/objects');
    for (const name of readdirSync(objects, { recursive: true, encoding: 'utf8' })) {
      if (lstatSync(path.join(objects, name)).isFile()) writeFileSync(path.join(objects, name), 'garbage');
    }
    expect((await undo(store))?.kept[0]?.because).toBe('its saved copy is missing or damaged');
    expect(await tree()).toEqual({});
  });
});
