import { chmod, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bench, makePipe, use } from '../../test/support/tool-context.ts';
import { list } from './list.ts';

const tree = {
  '.gitignore': 'out\n*.log\n',
  'README.md': 'x'.repeat(2048),
  'a.log': '',
  'out/b.js': '',
  'src/index.ts': 'abc',
  'src/deep/er/c.ts': '',
  'src/deep/d.ts': '',
  '.env': 'KEY=1',
};

async function place(files: Record<string, string> = tree) {
  const { root, context } = await bench(files);
  const said = async (input: object = {}) => {
    const result = await use(list, input, context);
    return (result.success ? result.output : result.error).split('\n');
  };
  return { root, context, said };
}

test('[T17] [U17] folders with counts, files with sizes; omitted entries are counted', async () => {
  const { said } = await place();
  expect(await said()).toEqual([
    'src/  3 files',
    'README.md  2.0 KB',
    '[4 hidden, ignored or linked entries skipped; set include_ignored to show them]',
  ]);
});

test('levels', async () => {
  const { said } = await place();
  expect(await said({ path: 'src', depth: 1 })).toEqual(['deep/  2 files', 'index.ts  3 bytes']);
  expect(await said({ path: 'src', depth: 3 })).toEqual([
    'deep/  2 files',
    '  er/  1 file',
    '    c.ts  0 bytes',
    '  d.ts  0 bytes',
    'index.ts  3 bytes',
  ]);
});

test('everything on request', async () => {
  const { said } = await place();
  expect(await said({ include_ignored: true, depth: 2 })).toEqual([
    'out/',
    '  b.js  0 bytes',
    'src/',
    '  deep/',
    '  index.ts  3 bytes',
    '.env  5 bytes',
    '.gitignore  10 bytes',
    'README.md  2.0 KB',
    'a.log  0 bytes',
  ]);
});

test('empty folders, pipes, loops of links', async () => {
  const { root, said } = await place({});
  expect(await said()).toEqual(['. is empty.']);
  await mkdir(path.join(root, 'none'));
  await symlink('.', path.join(root, 'loop'));
  makePipe(path.join(root, 'pipe'));
  expect(await said({ depth: 3 })).toEqual([
    'none/  empty',
    '[2 hidden, ignored or linked entries skipped; set include_ignored to show them]',
  ]);
  expect((await said({ depth: 3, include_ignored: true })).slice(0, 3)).toEqual([
    'loop/',
    '  loop/',
    '    loop/',
  ]);
});

test('folders without direct files are shown, those with only ignored files are omitted', async () => {
  const { root, said } = await place({
    '.gitignore': '*.log\n/out\n',
    'kept/.gitkeep': '',
    'logs/a.log': '',
    'out/.keep/x': '',
    'out/deep/b.js': '',
    'src/kept/.gitkeep': '',
    'src/a.ts': '',
  });
  for (const folder of ['none', 'outer/inner/innermost', 'outer/other', '.hidden/inner', 'links'])
    await mkdir(path.join(root, folder), { recursive: true });
  await symlink('..', path.join(root, 'links', 'loop'));
  expect(await said()).toEqual([
    'kept/  0 files',
    'none/  empty',
    'outer/  0 files',
    'src/  1 file',
    '[5 hidden, ignored or linked entries skipped; set include_ignored to show them]',
  ]);
  expect(await said({ path: 'outer', depth: 3 })).toEqual([
    'inner/  0 files',
    '  innermost/  empty',
    'other/  empty',
  ]);
  expect(await said({ path: 'src', depth: 2 })).toEqual([
    'kept/  0 files',
    'a.ts  0 bytes',
    '[1 hidden, ignored or linked entry skipped; set include_ignored to show them]',
  ]);
  expect(await said({ path: 'kept' })).toEqual([
    'kept is empty.',
    '[1 hidden, ignored or linked entry skipped; set include_ignored to show them]',
  ]);
});

test('an unreadable folder is marked, and the rest is listed', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root reads every folder');
  const { root, said } = await place({ 'a.txt': 'x', 'shut/b.txt': 'x' });
  await chmod(path.join(root, 'shut'), 0);
  expect(await said({ depth: 2 })).toEqual(['shut/  cannot be read', 'a.txt  1 bytes']);
  await chmod(path.join(root, 'shut'), 0o700);
});

test('a folder closed by the user is marked', async () => {
  const { context } = await bench({ 'a.txt': 'x', 'shut/b.txt': 'x' }, { blockedPaths: ['shut'] });
  const result = await use(list, { depth: 2 }, context);
  expect(result.success && result.output).toBe('shut/  cannot be read\na.txt  1 bytes');
});

test('many entries are cut, with the number omitted', async () => {
  const { said } = await place(Object.fromEntries(Array.from({ length: 450 }, (_, i) => [`f${i}`, ''])));
  const lines = await said();
  expect(lines.length).toBe(401);
  expect(lines.at(-1)).toBe('[50 more entries; list a subfolder, or less depth, to see more]');
});

test('a path that is not a folder', async () => {
  const { said } = await place();
  expect(await said({ path: 'README.md' })).toEqual(['README.md is a file. Read it, or list its folder.']);
  expect(await said({ path: 'srcs' })).toEqual(['srcs does not exist. Did you mean src/?']);
});

test('a name with a newline stays on one line', async () => {
  const { said } = await place({ 'a\nb/c\nd.ts': '' });
  expect(await said({ depth: 2 })).toEqual(['"a\\nb"/  1 file', '  "c\\nd.ts"  0 bytes']);
});
