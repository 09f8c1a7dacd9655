import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bench, makePipe } from '../../../test/support/tool-context.ts';
import type { FileChange } from '../../contract/file-change.ts';
import { sha256 } from '../../lib/sha256.ts';

const isRoot = process.getuid?.() === 0;
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe('reading', () => {
  test('returns the bytes, their hash and the real path', async () => {
    const { root, context } = await bench({ 'a.txt': 'hällo\r\n' });
    await symlink('a.txt', path.join(root, 'b.txt'));
    const { path: real, bytes, sha256: hash } = await context.files.read('b.txt');
    expect({ real, text: text(bytes), hash }).toEqual({
      real: path.join(root, 'a.txt'),
      text: 'hällo\r\n',
      hash: sha256('hällo\r\n'),
    });
  });

  test('[N08] 10 MB are read, 12 MB are refused with the size and the alternative', async () => {
    const { root, context } = await bench({ 'ten.bin': '', 'twelve.bin': '' });
    await truncate(path.join(root, 'ten.bin'), 10 * 1024 * 1024);
    await truncate(path.join(root, 'twelve.bin'), 12 * 1024 * 1024);
    expect((await context.files.read('ten.bin')).bytes.length).toBe(10 * 1024 * 1024);
    await expect(context.files.read('twelve.bin')).rejects.toThrow(
      /twelve\.bin is 12\.0 MB; files up to 10 MB can be read\. Use Grep/,
    );
  });

  test('a pipe is refused at once, with or without a writer', async () => {
    const { root, context } = await bench();
    makePipe(path.join(root, 'pipe'));
    await expect(context.files.read('pipe')).rejects.toThrow(/is a pipe, socket or device/);
    expect(await context.files.stat('pipe')).toMatchObject({ type: 'other' });
  });

  test('a socket and a folder are distinguished from files', async () => {
    const { root, context } = await bench({ 'dir/a': '' });
    const server = createServer().listen(path.join(root, 's'));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(context.files.read('s')).rejects.toThrow(/pipe, socket or device/);
    await expect(context.files.read('dir')).rejects.toThrow(/dir is a folder, not a file/);
  });

  test('a missing file and a path below a file are reported in words', async () => {
    const { context } = await bench({ a: '' });
    await expect(context.files.read('nope')).rejects.toThrow('Cannot read nope: no such file or folder.');
    await expect(context.files.read('a/b')).rejects.toThrow('Cannot read a/b: a part of the path is a file');
    expect(await context.files.stat('nope')).toBe(null);
    expect(await context.files.stat('a/b')).toBe(null);
  });

  test('[T06] a refusal by the system is a denied permission', async ({ skip }) => {
    if (isRoot) skip('root is refused nothing');
    const { root, context } = await bench({ a: '' });
    await chmod(path.join(root, 'a'), 0);
    await expect(context.files.read('a')).rejects.toThrow(/^Permission denied: read a /);
  });

  test('a listing is sorted and resolves links to folders, but not to the outside', async () => {
    const { root, home, context } = await bench({ 'b.txt': '12', 'a/x': '' });
    await writeFile(path.join(home, 'canary'), '12345');
    await symlink('a', path.join(root, 'c-in'));
    await symlink('../home/canary', path.join(root, 'd-out'));
    await symlink('nowhere', path.join(root, 'e-dangling'));
    const entries = await context.files.list('.');
    expect(entries.map(({ path: file, type }) => [path.relative(root, file), type])).toEqual([
      ['a', 'directory'],
      ['b.txt', 'file'],
      ['c-in', 'directory'],
      ['d-out', 'other'],
      ['e-dangling', 'other'],
    ]);
    expect(entries[3]?.size).not.toBe(5);
  });
});

describe('writing', () => {
  test('creates folders, leaves nothing else behind, and reports the old bytes first', async () => {
    const changes: unknown[] = [];
    const { root, context, tree } = await bench(
      { 'old.txt': 'before' },
      {
        onBeforeWrite: async ({ path: file, before, after }: FileChange) => {
          const onDisk = await readFile(file, 'utf8').catch(() => null);
          changes.push({ file, before: before && text(before), after: after && text(after), onDisk });
        },
      },
    );
    await context.files.write('old.txt', Buffer.from('after'));
    await context.files.write('new/deep/file.txt', Buffer.from('fresh'));
    expect(await tree()).toEqual({ 'new/deep/file.txt': 'fresh', 'old.txt': 'after' });
    expect(changes).toEqual([
      { file: path.join(root, 'old.txt'), before: 'before', after: 'after', onDisk: 'before' },
      { file: path.join(root, 'new/deep/file.txt'), before: null, after: 'fresh', onDisk: null },
    ]);
  });

  test('keeps mode bits', async () => {
    const { root, context } = await bench({ 'run.sh': 'old' });
    await chmod(path.join(root, 'run.sh'), 0o751);
    await context.files.write('run.sh', Buffer.from('new'));
    expect((await stat(path.join(root, 'run.sh'))).mode & 0o7777).toBe(0o751);
  });

  test('writes through a link and leaves the link', async () => {
    const { root, context } = await bench({ 'real.txt': 'old' });
    await symlink('real.txt', path.join(root, 'link.txt'));
    await context.files.write('link.txt', Buffer.from('new'));
    expect((await lstat(path.join(root, 'link.txt'))).isSymbolicLink()).toBe(true);
    expect(await readlink(path.join(root, 'link.txt'))).toBe('real.txt');
    expect(await readFile(path.join(root, 'real.txt'), 'utf8')).toBe('new');
  });

  test('a failing undo store stops the write and cleans up', async () => {
    const { root, context } = await bench(
      { 'a.txt': 'old' },
      { onBeforeWrite: () => Promise.reject(new Error('no room for undo')) },
    );
    await expect(context.files.write('a.txt', Buffer.from('new'))).rejects.toThrow('no room for undo');
    expect(await readdir(root)).toEqual(['a.txt']);
    expect(await readFile(path.join(root, 'a.txt'), 'utf8')).toBe('old');
  });

  test('a folder that is replaced by a link to the outside meanwhile is not written through', async () => {
    const { rename } = await import('node:fs/promises');
    const space: { root?: string; home?: string } = {};
    const { root, home, context } = await bench(
      { 'dir/a.txt': 'old' },
      {
        async onBeforeWrite() {
          await rename(path.join(space.root ?? '', 'dir'), path.join(space.root ?? '', 'moved'));
          await symlink(space.home ?? '', path.join(space.root ?? '', 'dir'));
        },
      },
    );
    Object.assign(space, { root, home });
    await expect(context.files.write('dir/a.txt', Buffer.from('new'))).rejects.toThrow(
      /Permission denied: write/,
    );
    expect(await readdir(home)).toEqual([]);
    expect(await readFile(path.join(root, 'moved/a.txt'), 'utf8')).toBe('old');
  });

  test('[T09] a file that another program changes meanwhile keeps that change', async () => {
    const space = { root: '' };
    const { root, context, tree } = await bench(
      { 'a.txt': 'old' },
      { onBeforeWrite: () => writeFile(path.join(space.root, 'a.txt'), 'theirs') },
    );
    space.root = root;
    await expect(context.files.write('a.txt', Buffer.from('new'))).rejects.toThrow(
      'Cannot write a.txt: it was changed by another program in the meantime.',
    );
    expect(await tree()).toEqual({ 'a.txt': 'theirs' });
    expect(await readdir(root)).toEqual(['a.txt']);
  });

  test('a folder with git data in it is not deleted', async () => {
    const { context, tree } = await bench({ 'lib/.git/HEAD': 'ref', 'lib/a.ts': 'a' });
    await expect(context.files.remove('lib')).rejects.toThrow(/lib\/\.git is a git repository/);
    expect(await tree()).toEqual({ 'lib/.git/HEAD': 'ref', 'lib/a.ts': 'a' });
  });

  test('a folder, a pipe and a secret are refused, and nothing is created', async () => {
    const { root, context } = await bench({});
    await mkdir(path.join(root, 'dir'));
    makePipe(path.join(root, 'pipe'));
    await expect(context.files.write('dir', Buffer.from('x'))).rejects.toThrow(/not a regular file/);
    await expect(context.files.write('pipe', Buffer.from('x'))).rejects.toThrow(/not a regular file/);
    await expect(context.files.write('new/.env', Buffer.from('x'))).rejects.toThrow(
      /environment files may contain secrets/,
    );
    expect((await readdir(root)).sort()).toEqual(['dir', 'pipe']);
  });

  test('a read-only file is not changed', async ({ skip }) => {
    if (isRoot) skip('root is refused nothing');
    const { root, context } = await bench({ 'a.txt': 'old' });
    await chmod(path.join(root, 'a.txt'), 0o444);
    await expect(context.files.write('a.txt', Buffer.from('new'))).rejects.toThrow(
      /^Permission denied: write a\.txt/,
    );
    expect(await readFile(path.join(root, 'a.txt'), 'utf8')).toBe('old');
  });
});

describe('writing several files', () => {
  const write = (path: string, content: string) => ({ path, bytes: Buffer.from(content) });

  test('[U09] all are written, each with its old bytes and mode reported first, and nothing else is left', async () => {
    const changes: unknown[] = [];
    const { root, context, tree } = await bench(
      { 'a.sh': 'old' },
      {
        onBeforeWrite: async ({ path: file, before, after, was }) => {
          changes.push([
            path.basename(file),
            before && text(before),
            after && text(after),
            was,
            await tree(),
          ]);
        },
      },
    );
    await chmod(path.join(root, 'a.sh'), 0o751);
    await context.files.writeAll([write('a.sh', 'new'), write('d/b', 'fresh')]);
    expect(await tree()).toEqual({ 'a.sh': 'new', 'd/b': 'fresh' });
    expect((await stat(path.join(root, 'a.sh'))).mode & 0o7777).toBe(0o751);
    expect(changes).toMatchObject([
      ['a.sh', 'old', 'new', { type: 'file', mode: 0o751 }, { 'a.sh': 'old' }],
      ['b', null, 'fresh', undefined, { 'a.sh': 'old' }],
    ]);
  });

  test('[U09] a failure midway restores the old files and removes new ones, and folders created for them', async () => {
    const space = { root: '' };
    const { root, context, tree } = await bench(
      { a: 'old', z: 'old' },
      {
        async onBeforeWrite({ path: file }) {
          if (!file.endsWith('z')) return;
          await rm(file);
          await mkdir(path.join(space.root, 'z/in'), { recursive: true });
        },
      },
    );
    space.root = root;
    const { ino } = await stat(path.join(root, 'a'));
    const changes = [write('a', 'new'), write('d/e/b', 'fresh'), write('z', 'new')];
    await expect(context.files.writeAll(changes)).rejects.toThrow(/^Cannot write z: /);
    expect(await tree()).toEqual({ a: 'old' });
    expect((await stat(path.join(root, 'a'))).ino).toBe(ino);
    expect((await readdir(root)).sort()).toEqual(['a', 'z']);
  });

  test('[U09] a closed folder stops all before anything changes', async ({ skip }) => {
    if (isRoot) skip('root is refused nothing');
    const { root, context, tree } = await bench({ a: 'old', 'closed/b': 'old' });
    await chmod(path.join(root, 'closed'), 0o555);
    onTestFinished(() => chmod(path.join(root, 'closed'), 0o755));
    const told = context.files.writeAll([write('a', 'new'), write('closed/c', 'new')]);
    await expect(told).rejects.toThrow(/^Permission denied: write closed\/c/);
    expect(await tree()).toEqual({ a: 'old', 'closed/b': 'old' });
    // A file in it may still be written in place.
    await context.files.writeAll([write('a', 'new'), write('closed/b', 'new')]);
    expect(await tree()).toEqual({ a: 'new', 'closed/b': 'new' });
  });

  test('one secret among them, or the same file twice, stops all', async () => {
    const { context, tree } = await bench({ a: 'old' });
    await expect(context.files.writeAll([write('a', 'new'), write('.env', 'x')])).rejects.toThrow(/secrets/);
    await expect(context.files.writeAll([write('a', '1'), write('./a', '2')])).rejects.toThrow(/twice/);
    expect(await tree()).toEqual({ a: 'old' });
  });
});
