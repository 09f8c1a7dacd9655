import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freshFolder } from '../../../test/support/workspace.ts';
import { makeFolder } from './make-folder.ts';

test('a folder is made with its parents, each with the mode; one that exists stays as it is', async () => {
  const root = await freshFolder();
  const folder = path.join(root, 'a/b/c');
  makeFolder(folder);
  makeFolder(folder, 0o700);
  const closed = path.join(root, 'd/e');
  makeFolder(closed, 0o700);
  expect([folder, path.dirname(closed), closed].map((one) => statSync(one).mode & 0o077)).toEqual([
    0o055, 0, 0,
  ]);
});

test('a name of raw bytes', async () => {
  const folder = path.join(await freshFolder(), '\udcff');
  makeFolder(path.join(folder, 'in'));
  expect(
    statSync(Buffer.concat([Buffer.from(path.dirname(folder)), Buffer.from('/\xff', 'latin1')])),
  ).toBeTruthy();
});

test.each([
  ['below a file', 'file/in', 'ENOTDIR'],
  ['a file', 'file', 'EEXIST'],
  ['a link that leads nowhere', 'nowhere', 'EEXIST'],
  ['below links that lead to each other', 'loop/in', 'ELOOP'],
])('%s is an error', async (_, name, code) => {
  const root = await freshFolder();
  writeFileSync(path.join(root, 'file'), '');
  symlinkSync('gone', path.join(root, 'nowhere'));
  symlinkSync('loop', path.join(root, 'loop'));
  expect(() => makeFolder(path.join(root, name))).toThrow(expect.objectContaining({ code }));
});

test.runIf(existsSync('/proc/self')).each(['/proc/x', '/proc/x/y/z', '/proc/self/fdinfo/x/y'])(
  'there is no folder %s to make, and that is said at once',
  (folder) => {
    expect(() => makeFolder(folder)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/ENOENT|EACCES|EPERM/) }),
    );
  },
);
