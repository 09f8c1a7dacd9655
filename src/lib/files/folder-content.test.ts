import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderHash, readFolder, writeFolder } from './folder-content.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'content-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const limits = { files: 5, bytes: 1024 ** 2, depth: 3 };
const put = (name: string, text = name) => {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  writeFileSync(path.join(root, name), text);
};
const read = () => readFolder(root, limits);

test('a copy has the same content and hash; any change has another', () => {
  put('b/c.sh', 'x');
  put('a.txt');
  put('.git/config', 'not part of it');
  chmodSync(path.join(root, 'b/c.sh'), 0o755);
  const files = read();
  expect(files.map(({ name, executable }) => [name, executable])).toEqual([
    ['a.txt', false],
    ['b/c.sh', true],
  ]);
  const copy = mkdtempSync(path.join(tmpdir(), 'copy-'));
  writeFolder(copy, files);
  expect(folderHash(readFolder(copy, limits))).toBe(folderHash(files));
  expect(statSync(path.join(copy, 'b/c.sh')).mode & 0o777).toBe(0o700);
  rmSync(copy, { recursive: true });
  const hashes = [folderHash(files), folderHash(files, 'more')];
  put('a.txt', 'y');
  hashes.push(folderHash(read()));
  chmodSync(path.join(root, 'b/c.sh'), 0o644);
  hashes.push(folderHash(read()));
  put('new');
  hashes.push(folderHash(read()));
  expect(new Set(hashes).size).toBe(hashes.length);
});

test('links inside are followed', () => {
  put('a.txt', 'x');
  symlinkSync('a.txt', path.join(root, 'b.txt'));
  expect(read().map(({ name, content }) => [name, String(content)])).toEqual([
    ['a.txt', 'x'],
    ['b.txt', 'x'],
  ]);
});

const refused: [what: string, because: string, make: () => void][] = [
  ['a link that leads out', 'leads out', () => symlinkSync('/etc/passwd', path.join(root, 'x'))],
  ['a link to a folder outside', 'leads out', () => symlinkSync('..', path.join(root, 'x'))],
  ['a link that leads nowhere', 'leads nowhere', () => symlinkSync('none', path.join(root, 'x'))],
  ['a link to itself', 'levels deep', () => symlinkSync('.', path.join(root, 'x'))],
  [
    'a pipe',
    'neither a file nor a folder',
    () => void execFileSync('sh', ['-c', 'mkfifo "$0"', path.join(root, 'x')]),
  ],
  ['many files', 'more than 5 files', () => void ['1', '2', '3', '4', '5', '6'].map((name) => put(name))],
  ['large files', 'larger than 1 MB', () => put('x', 'x'.repeat(1024 ** 2 + 1))],
  ['deep folders', 'levels deep', () => put('1/2/3/4/5')],
  ['a name that a terminal would obey', 'control character', () => put('a\u001b[2J')],
];
test.each(refused)('%s: refused, it %s', (_, because, make) => {
  make();
  expect(read).toThrow(because);
});
