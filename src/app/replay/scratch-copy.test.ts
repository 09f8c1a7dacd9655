import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { soak } from '../../../test/support/soak.ts';
import { freshFolder } from '../../../test/support/workspace.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { copyFolder, removeCopy } from './scratch-copy.ts';

const onPosix = test.skipIf(process.platform === 'win32');

/** A folder with these files, and where its copy goes. */
async function stage(files: Record<string, string>, { inside = '' } = {}) {
  const base = await freshFolder();
  const from = path.join(base, 'project');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(from, name)), { recursive: true });
    writeFileSync(path.join(from, name), text);
  }
  const to = inside === '' ? path.join(base, 'copies', 'other') : path.join(from, inside);
  mkdirSync(to, { recursive: true });
  const notes: string[] = [];
  const copy = () =>
    copyFolder({
      from,
      to,
      at: (file) => (isInside(from, file) ? path.join(to, path.relative(from, file)) : null),
      without: [to],
      ended: '9999',
      known: new Set(),
      notes,
      linked: () => undefined,
    });
  return { base, from, to, notes, copy };
}

onPosix('links that lead into the folder lead into the copy; others stay as they are', async () => {
  const { base, from, to, copy } = await stage({ 'sub/a.txt': 'a\n' });
  writeFileSync(path.join(base, 'outside.txt'), 'x\n');
  symlinkSync(from, path.join(base, 'way'));
  const links = {
    absolute: path.join(from, 'sub'),
    relative: 'sub/a.txt',
    around: '../project/sub',
    through: path.join(base, 'way', 'sub'),
    dangling: path.join(from, 'nowhere'),
    out: path.join(base, 'outside.txt'),
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(from, name));
  copy();
  expect(
    Object.fromEntries(Object.keys(links).map((name) => [name, readlinkSync(path.join(to, name))])),
  ).toEqual({
    absolute: path.join(to, 'sub'),
    relative: 'sub/a.txt',
    around: path.join(to, 'sub'),
    through: path.join(to, 'sub'),
    dangling: path.join(to, 'nowhere'),
    out: path.join(base, 'outside.txt'),
  });
});

test('large folders that tools can rebuild are copied, and do not lead to the original', soak, async () => {
  const names = Array.from({ length: 3_100 }, (_, i) => `node_modules/${i % 100}/${i}.js`);
  const { from, to, notes, copy } = await stage(Object.fromEntries(names.map((name) => [name, ''])));
  copy();
  writeFileSync(path.join(to, 'node_modules/0/0.js'), 'changed');
  expect(readFileSync(path.join(from, 'node_modules/0/0.js'), 'utf8')).toBe('');
  expect(readdirSync(path.join(to, 'node_modules'))).toHaveLength(100);
  expect(notes).toEqual([]);
});

test('a copy inside the folder does not contain itself', async () => {
  const { to, copy } = await stage({ 'a.txt': 'a\n' }, { inside: 'tmp/copy' });
  copy();
  expect(readdirSync(to, { recursive: true }).sort()).toEqual(['a.txt', 'tmp']);
});

onPosix('closed folders keep their mode, and the copy can be removed', async () => {
  const { from, to, copy } = await stage({ 'closed/deep/a.txt': 'a\n' });
  chmodSync(path.join(from, 'closed/deep'), 0o555);
  chmodSync(path.join(from, 'closed'), 0o555);
  copy();
  expect(statSync(path.join(to, 'closed')).mode & 0o777).toBe(0o555);
  expect(readFileSync(path.join(to, 'closed/deep/a.txt'), 'utf8')).toBe('a\n');
  await removeCopy(to);
  expect(existsSync(to)).toBe(false);
  for (const place of ['closed', 'closed/deep']) chmodSync(path.join(from, place), 0o755);
});

test.skipIf(process.getuid?.() === 0)('what is not readable is left out and named', async () => {
  const { from, to, notes, copy } = await stage({ 'a.txt': 'a\n', 'key.txt': 'x', 'shut/b.txt': 'b\n' });
  chmodSync(path.join(from, 'key.txt'), 0);
  chmodSync(path.join(from, 'shut'), 0);
  copy();
  expect(readdirSync(to)).toEqual(['a.txt']);
  expect(notes).toEqual(['Not readable, so not in the copy: key.txt, shut.']);
  chmodSync(path.join(from, 'shut'), 0o755);
});
