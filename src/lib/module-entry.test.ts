import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { isPackageName, moduleEntry, packageFolder } from './module-entry.ts';

test('a module is a file, what its package.json names, or an index; never a file outside it', async () => {
  const { root } = await workspace({
    'one.mjs': '',
    'main/package.json': '{"main":"lib/a"}',
    'main/lib/a.cjs': '',
    'exports/package.json':
      '{"main":"no.js","exports":{".":{"types":"./a.d.ts","node":{"import":"./b.mjs"}}}}',
    'exports/b.mjs': '',
    'text/package.json': '{"exports":"./c.js"}',
    'text/c.js': '',
    'index/index.ts': '',
    'out/package.json': '{"main":"../one.mjs"}',
    'broken/package.json': '{',
    'broken/index.js': '',
    'empty/readme.md': '',
  });
  const entry = (name: string) => {
    const found = moduleEntry(path.join(root, name));
    return found === null ? null : path.relative(root, found).replaceAll(path.sep, '/');
  };
  expect(
    ['one.mjs', 'main', 'exports', 'text', 'index', 'out', 'broken', 'empty', 'missing'].map(entry),
  ).toEqual([
    'one.mjs',
    'main/lib/a.cjs',
    'exports/b.mjs',
    'text/c.js',
    'index/index.ts',
    null,
    'broken/index.js',
    null,
    null,
  ]);
});

test('a package is searched upwards, up to the topmost folder', async () => {
  const { root } = await workspace({ 'node_modules/@a/b/x': '', 'app/deep/x': '' });
  const from = path.join(root, 'app/deep');
  expect(packageFolder('@a/b', from, root)).toBe(path.join(root, 'node_modules/@a/b'));
  expect(packageFolder('@a/b', from, path.join(root, 'app'))).toBeNull();
  expect(packageFolder('c', from, root)).toBeNull();
  expect(packageFolder('c', '/', '/')).toBeNull();
});

test('a package name is distinguished from a path', () => {
  expect(['x', '@a/b', 'a.b-c'].filter(isPackageName)).toEqual(['x', '@a/b', 'a.b-c']);
  expect(['./x', '../x', '/x', 'a/b', '~/x', '..', '.', '', '@a/../b'].filter(isPackageName)).toEqual([]);
});
