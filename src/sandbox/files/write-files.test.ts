import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bench } from '../../../test/support/tool-context.ts';

const bytes = (text: string) => Buffer.from(text);
const isRoot = process.getuid?.() === 0;

function run(...[program = '', ...args]: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

const canMount =
  isRoot && process.platform === 'linux' && works(() => mounted('/proc/self/status', '--version'));
const hasXattrs = process.platform === 'linux' && works(() => run('python3', '-c', 'import os; os.setxattr'));

function works(deed: () => unknown): boolean {
  try {
    deed();
    return true;
  } catch {
    return false;
  }
}

/** Unmounted when the test has ended. */
function mounted(place: string, ...how: string[]): void {
  run('mount', ...how);
  if (!how.includes('--version')) onTestFinished(() => void run('umount', '-l', place));
}

describe('a save by another program', () => {
  /** How editors save. */
  const savers = {
    'in place': (file: string, text: string) => writeFileSync(file, text),
    'by a rename': (file: string, text: string) => {
      writeFileSync(`${file}~`, text);
      renameSync(`${file}~`, file);
    },
    'in place, with the old time': (file: string, text: string) => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, text);
      utimesSync(file, atime, mtime);
    },
  };
  const moments = ['after it was read', 'after the new content is on the disk'] as const;
  const names = Object.keys(savers) as (keyof typeof savers)[];

  test('property: is never lost, at any time and in any way', async () => {
    const text = fc.constantFrom('x', 'theirs', 'other', 'longer than the first one\n');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...moments),
        fc.constantFrom(...names),
        text,
        fc.boolean(),
        async (moment, how, theirs, isLinked) => {
          let file = '';
          const save = () => savers[how](file, theirs);
          const { root, context } = await bench(
            { 'a.txt': 'first' },
            { onBeforeWrite: async () => void (moment === moments[1] && save()) },
          );
          file = path.join(root, 'a.txt');
          if (isLinked) linkSync(file, path.join(root, 'b.txt'));
          const was = await context.files.read('a.txt');
          if (moment === moments[0]) save();
          await expect(context.files.write('a.txt', bytes('ours'), was)).rejects.toThrow(
            'Cannot write a.txt: it was changed by another program in the meantime.',
          );
          expect(readFileSync(file, 'utf8')).toBe(theirs);
          expect(readdirSync(root).filter((name) => name.startsWith('.aca-'))).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('of a new file is not lost, either', async () => {
    const { root, context } = await bench({});
    writeFileSync(path.join(root, 'a.txt'), 'theirs');
    await expect(context.files.write('a.txt', bytes('ours'), null)).rejects.toThrow(
      'changed by another program',
    );
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('theirs');
  });

  test('of one file stops all of several', async () => {
    const { root, context } = await bench({ 'a.txt': 'a', 'b.txt': 'b' });
    linkSync(path.join(root, 'a.txt'), path.join(root, 'c.txt'));
    const [a, b] = [await context.files.read('a.txt'), await context.files.read('b.txt')];
    writeFileSync(path.join(root, 'b.txt'), 'theirs');
    const changes = [
      { path: 'a.txt', bytes: bytes('A'), was: a },
      { path: 'b.txt', bytes: bytes('B'), was: b },
    ];
    await expect(context.files.writeAll(changes)).rejects.toThrow('changed by another program');
    expect(['a.txt', 'b.txt', 'c.txt'].map((name) => readFileSync(path.join(root, name), 'utf8'))).toEqual([
      'a',
      'theirs',
      'a',
    ]);
  });
});

describe('a written file', () => {
  test('keeps its hard links', async () => {
    const { root, context } = await bench({ 'a.txt': 'one', 'short.txt': 'x' });
    linkSync(path.join(root, 'a.txt'), path.join(root, 'b.txt'));
    const { ino } = lstatSync(path.join(root, 'a.txt'));
    for (const text of ['another content, longer', 's', '']) {
      await context.files.write('a.txt', bytes(text));
      expect(readFileSync(path.join(root, 'b.txt'), 'utf8')).toBe(text);
    }
    expect(lstatSync(path.join(root, 'a.txt')).ino).toBe(ino);
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'b.txt', 'short.txt']);
  });

  test.skipIf(!isRoot)('keeps its owner and mode', async () => {
    const { root, context } = await bench({ 'a.txt': 'one' });
    const file = path.join(root, 'a.txt');
    chownSync(file, 1234, 4321);
    chmodSync(file, 0o4751);
    await context.files.write('a.txt', bytes('two'));
    const { uid, gid, mode } = lstatSync(file);
    expect([uid, gid, mode & 0o7777]).toEqual([1234, 4321, 0o4751]);
  });

  test.skipIf(!hasXattrs)('keeps its extended attributes', async () => {
    const { root, context } = await bench({ 'a.txt': 'one' });
    const file = path.join(root, 'a.txt');
    run('python3', '-c', 'import os,sys; os.setxattr(sys.argv[1], "user.origin", b"kept")', file);
    await context.files.write('a.txt', bytes('two'));
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(run('python3', '-c', 'import os,sys; print(os.getxattr(sys.argv[1], "user.origin"))', file)).toBe(
      "b'kept'\n",
    );
  });

  test.skipIf(!canMount)('is written in place where it is a mount point', async () => {
    const { root, home, context } = await bench({ 'a.txt': 'one', 'b.txt': 'one' });
    const file = path.join(root, 'a.txt');
    writeFileSync(path.join(home, 'mounted'), 'one');
    mounted(file, '--bind', path.join(home, 'mounted'), file);
    await context.files.write('a.txt', bytes('two'));
    expect(readFileSync(path.join(home, 'mounted'), 'utf8')).toBe('two');
    await context.files.writeAll([
      { path: 'b.txt', bytes: bytes('three') },
      { path: 'a.txt', bytes: bytes('three') },
    ]);
    expect(readFileSync(path.join(home, 'mounted'), 'utf8')).toBe('three');
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'b.txt']);
  });

  test.skipIf(!canMount)('is written in place in a folder where nothing can be created', async () => {
    const { root, home, context } = await bench({ 'd/a.txt': 'one' });
    const folder = path.join(root, 'd');
    writeFileSync(path.join(home, 'mounted'), 'one');
    mounted(folder, '--bind', folder, folder);
    mounted(path.join(folder, 'a.txt'), '--bind', path.join(home, 'mounted'), path.join(folder, 'a.txt'));
    run('mount', '-o', 'remount,ro,bind', folder);
    await context.files.write('d/a.txt', bytes('two'));
    expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('two');
    await expect(context.files.write('d/new.txt', bytes('x'))).rejects.toThrow('read-only');
  });

  test.skipIf(!canMount)(
    'has its old content again when the disk accepts only a part of the new',
    async () => {
      const { root, context } = await bench({});
      const disk = path.join(root, 'disk');
      mkdirSync(disk);
      mounted(disk, '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk);
      writeFileSync(path.join(disk, 'a.txt'), 'old'.repeat(1000));
      linkSync(path.join(disk, 'a.txt'), path.join(disk, 'b.txt'));
      await expect(context.files.write('disk/a.txt', bytes('new'.repeat(100_000)))).rejects.toThrow(
        'the disk is full',
      );
      expect(readFileSync(path.join(disk, 'b.txt'), 'utf8')).toBe('old'.repeat(1000));
    },
  );
});
