import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { startupFiles } from '../../contract/startup/list.ts';
import { checkedStartupRule } from '../../contract/startup-files.ts';
import { createStartupWatch } from './startup-watch.ts';

async function watching(files: Record<string, string> = {}, { mounted = true } = {}) {
  const space = await workspace(files);
  const at = (file: string) => path.join(space.root, file);
  const watch = createStartupWatch({
    roots: [space.root],
    folder: path.join(space.home, 'set-aside'),
    home: space.home,
  });
  await watch.enter({ mounted });
  const put = (file: string, text: string) => {
    mkdirSync(path.dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
  };
  const found = async () =>
    (await watch.check()).map((one) => ({ ...one, path: path.relative(space.root, one.path) }));
  return { ...space, at, watch, put, found };
}

/** Every listed name, in its own spelling. */
const listed = startupFiles
  .flatMap(({ examples }) => examples.hits)
  .filter((file) => checkedStartupRule(file));

test('files too large to be put back are named, others are not', async () => {
  const large = '#'.repeat(20 * 1024 * 1024 + 1);
  const { at, watch } = await watching({ 'a/.envrc': large, 'a/data.txt': large, '.envrc': 'x' });
  expect(watch.tooLarge()).toEqual([at('a/.envrc')]);
});

describe('a command that created startup files', () => {
  test.each(listed)('%s', async (file) => {
    const { put, found, tree } = await watching({ 'a.txt': 'a' });
    put(file, 'evil');
    put('b.txt', 'b');
    expect(await found()).toMatchObject([
      { path: file, before: null, after: { type: 'file', bytes: Buffer.from('evil') } },
    ]);
    expect(await tree()).toEqual({ 'a.txt': 'a', 'b.txt': 'b' });
  });

  test.each(listed)('existing %s in a folder of the project', async (name) => {
    const file = `packages/one/${name}`;
    const { put, found, tree } = await watching({ [file]: 'mine' });
    put(file, 'evil');
    expect(await found()).toMatchObject([{ path: file, before: { bytes: Buffer.from('mine') } }]);
    expect(await tree()).toEqual({ [file]: 'mine' });
    expect(await found()).toEqual([]);
  });
});

test('content that was set aside is kept, and becoming executable is a change', async () => {
  const { at, put, found, home } = await watching({ 'x/.husky/pre-push': 'true' });
  chmodSync(at('x/.husky/pre-push'), 0o755);
  put('CLAUDE.md', 'evil');
  const all = await found();
  expect(all.map(({ path: file }) => file)).toEqual(['CLAUDE.md', 'x/.husky/pre-push']);
  expect(lstatSync(at('x/.husky/pre-push')).mode & 0o111).toBe(0);
  expect(await readFile(all[0]?.keptAs ?? '', 'utf8')).toBe('evil');
  expect(await readdir(path.join(home, 'set-aside'))).toHaveLength(2);
});

test('a link out of the project is removed, never its target', async () => {
  const { at, found, home } = await watching();
  mkdirSync(path.join(home, 'editor'));
  writeFileSync(path.join(home, 'editor/tasks.json'), 'the user’s');
  symlinkSync(path.join(home, 'editor'), at('.vscode'));
  symlinkSync(path.join(home, 'editor/tasks.json'), at('AGENTS.md'));
  expect((await found()).map(({ path: file }) => file).sort()).toEqual(['.vscode', 'AGENTS.md']);
  expect([existsSync(at('.vscode')), existsSync(at('AGENTS.md'))]).toEqual([false, false]);
  expect(readFileSync(path.join(home, 'editor/tasks.json'), 'utf8')).toBe('the user’s');
});

test('the target of an existing link counts like the link', async () => {
  const space = await workspace({ 'docs/guide.md': 'mine' });
  symlinkSync('docs/guide.md', path.join(space.root, 'AGENTS.md'));
  const watch = createStartupWatch({
    roots: [space.root],
    folder: path.join(space.home, 'aside'),
    home: space.home,
  });
  await watch.enter({ mounted: true });
  writeFileSync(path.join(space.root, 'docs/guide.md'), 'evil');
  expect((await watch.check()).map(({ path: file }) => path.relative(space.root, file))).toEqual([
    'docs/guide.md',
  ]);
  expect(readFileSync(path.join(space.root, 'AGENTS.md'), 'utf8')).toBe('mine');
});

test('an ordinary link is left alone', async () => {
  const { at, put, found } = await watching({ 'src/lib/a.ts': '' });
  symlinkSync('src/lib', at('lib'));
  symlinkSync('missing', at('.config'));
  put('b.ts', '');
  expect(await found()).toEqual([]);
  expect([readlinkSync(at('lib')), readlinkSync(at('.config'))]).toEqual(['src/lib', 'missing']);
});

test('installed packages, and files that are mounted read-only, are not checked', async () => {
  const { put, found } = await watching({ '.idea/workspace.xml': 'a' });
  put('node_modules/a/.npmrc', 'x');
  put('.venv/lib/site-packages/a.pth', 'x');
  // The editor itself, while a command runs: no command could have.
  put('.idea/workspace.xml', 'b');
  expect(await found()).toEqual([]);
});

test('without mounts, as in a container, they are checked', async () => {
  const { put, found, tree } = await watching({ '.idea/workspace.xml': 'a' }, { mounted: false });
  put('.idea/workspace.xml', 'b');
  expect((await found()).map(({ path: file }) => file)).toEqual(['.idea/workspace.xml']);
  expect(await tree()).toEqual({ '.idea/workspace.xml': 'a' });
});

test('approved writes meanwhile stay', async () => {
  const { at, watch, put, found, tree } = await watching({ 'CLAUDE.md': 'old' });
  watch.expect(at('CLAUDE.md'), { type: 'file', bytes: Buffer.from('agreed') });
  put('CLAUDE.md', 'agreed');
  watch.expect(at('AGENTS.md'), { type: 'file', bytes: Buffer.from('new') });
  put('AGENTS.md', 'new');
  expect(await found()).toEqual([]);
  expect(await tree()).toEqual({ 'CLAUDE.md': 'agreed', 'AGENTS.md': 'new' });
});

test('overlapping commands share the state before them; the next one starts over', async () => {
  const { watch, put, found, tree } = await watching({ 'AGENTS.md': 'mine' });
  await watch.enter({ mounted: true });
  put('AGENTS.md', 'evil');
  watch.leave();
  expect((await found()).map(({ path: file }) => file)).toEqual(['AGENTS.md']);
  watch.leave();
  put('AGENTS.md', 'the user’s own change');
  await watch.enter({ mounted: true });
  expect(await found()).toEqual([]);
  expect(await tree()).toEqual({ 'AGENTS.md': 'the user’s own change' });
});

const names = [
  'AGENTS.md',
  '.npmrc',
  '.github/workflows/a.yml',
  'x/.vscode/tasks.json',
  'x/y/.husky/z',
  'CLAUDE.md',
];
const plain = ['a.txt', 'x/b.ts', 'x/y/c.ts', '.github/notes.md', '.vscode-notes'];

test('property: whatever a command does, startup files are as before or gone, and all others as it left them', async () => {
  const file = fc.constantFrom(...names, ...plain);
  const text = fc.constantFrom('one', 'two', 'three');
  const step = fc.oneof(
    fc.record({ type: fc.constant('write' as const), file, text }),
    fc.record({ type: fc.constant('remove' as const), file }),
    fc.record({ type: fc.constant('move' as const), file, to: file }),
    fc.record({ type: fc.constant('touch' as const), file }),
  );
  const begin = fc.dictionary(file, text, { maxKeys: 6 });
  await fc.assert(
    fc.asyncProperty(begin, fc.array(step, { maxLength: 12 }), async (files, steps) => {
      const { at, put, found, tree } = await watching(files);
      const expected: Record<string, string> = { ...files };
      for (const one of steps) {
        const now = expected[one.file];
        if (one.type === 'write') {
          put(one.file, one.text);
          expected[one.file] = one.text;
        } else if (now === undefined) continue;
        else if (one.type === 'touch') put(one.file, now);
        else if (one.type === 'remove') {
          rmSync(at(one.file));
          delete expected[one.file];
        } else {
          mkdirSync(path.dirname(at(one.to)), { recursive: true });
          renameSync(at(one.file), at(one.to));
          delete expected[one.file];
          expected[one.to] = now;
        }
      }
      for (const name of names) {
        if (expected[name] === undefined || expected[name] === files[name]) continue;
        const before = files[name];
        if (before === undefined) delete expected[name];
        else expected[name] = before;
      }
      await found();
      expect(await tree()).toEqual(expected);
    }),
    { numRuns: 60 },
  );
}, 60_000);
