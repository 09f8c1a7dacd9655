import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import {
  findProjectFile,
  projectContent,
  projectRoot,
  revokeTrust,
  trustedFolders,
  trustFolder,
  trustOf,
} from './trust.ts';

const FILE = '.ai-assistant.json';

async function project(files: Record<string, string> = {}) {
  const { root, home } = await workspace({ '.git/HEAD': '', ...files });
  const at = (folder: string) => path.join(root, folder);
  return {
    root,
    home,
    at,
    trust: (folder = '.') => trustFolder(home, at(folder), projectContent(at(folder))),
    ask: (folder = '.') => trustOf(home, at(folder), projectContent(at(folder))),
  };
}

describe('[Y28] trust in a folder', () => {
  test('is unknown until given, and gone when revoked', async () => {
    const { root, home, trust, ask } = await project({ [FILE]: '{}' });
    expect(ask()).toEqual({ type: 'unknown' });
    expect(await trust()).toBe(root);
    expect(ask()).toEqual({ type: 'trusted' });
    expect(await revokeTrust(home, root)).toBe(root);
    expect(ask()).toEqual({ type: 'unknown' });
    expect(await revokeTrust(home, root)).toBeNull();
  });

  test('is given for specific content: a change revokes it, and shows both versions', async () => {
    const { at, trust, ask } = await project({ [FILE]: '{ "maxTurns": 1 }' });
    await trust();
    await writeFile(at(FILE), '{ "mode": "auto" }');
    expect(ask()).toEqual({
      type: 'changed',
      changes: [{ name: FILE, before: '{ "maxTurns": 1 }', after: '{ "mode": "auto" }' }],
    });
    await trust();
    expect(ask()).toEqual({ type: 'trusted' });
  });

  test('given to a folder without settings does not cover settings added later', async () => {
    const { at, trust, ask } = await project();
    await trust();
    expect(ask()).toEqual({ type: 'trusted' });
    await writeFile(at(FILE), '{}');
    expect(ask()).toEqual({ type: 'changed', changes: [{ name: FILE, before: null, after: '{}' }] });
  });

  test('covers the whole project, but no other settings in it and no other project', async () => {
    const { trust, ask, at, home } = await project({
      [FILE]: '{}',
      'a/x': '',
      'b/.ai-assistant.json': '{ "mode": "auto" }',
      'other/.git/HEAD': '',
    });
    await trust();
    expect([ask('a'), ask('other')]).toEqual([{ type: 'trusted' }, { type: 'unknown' }]);
    expect(ask('b')).toMatchObject({ type: 'changed', changes: [{ name: 'b/.ai-assistant.json' }] });

    await trust('b');
    expect([ask('b'), ask()]).toEqual([{ type: 'trusted' }, { type: 'trusted' }]);
    expect(trustedFolders(home)).toMatchObject([{ folder: at('.'), files: [FILE, `b/${FILE}`] }]);
  });

  test('outside a repository covers that folder alone', async () => {
    const { root, home } = await workspace({ 'a/b/x': '' });
    await trustFolder(home, path.join(root, 'a'), []);
    expect(trustOf(home, path.join(root, 'a'), [])).toEqual({ type: 'trusted' });
    expect(trustOf(home, path.join(root, 'a/b'), [])).toEqual({ type: 'unknown' });
    expect(projectRoot(path.join(root, 'a/b'))).toBe(path.join(root, 'a/b'));
  });

  test.skipIf(process.platform === 'win32')('belongs to the real folder, however it is reached', async () => {
    const { at, home, trust } = await project({ 'sub/x': '' });
    await trust();
    await symlink(at('.'), path.join(home, 'link'));
    expect(trustOf(home, path.join(home, 'link'), [])).toEqual({ type: 'trusted' });
    await symlink(home, at('sub/out'));
    expect(trustOf(home, at('sub/out'), [])).toEqual({ type: 'unknown' });
  });
});

describe('the trust file', () => {
  test('is private, and contains what was approved', async () => {
    const { root, home, trust } = await project({ [FILE]: '{}' });
    await trust();
    const file = path.join(home, 'trust.json');
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      folders: {
        [root]: {
          files: {
            [FILE]: {
              sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
              text: '{}',
            },
          },
        },
      },
    });
  });

  test('ignores trust in __proto__', async () => {
    const { home, ask } = await project();
    await writeFile(path.join(home, 'trust.json'), '{"folders":{"__proto__":{}}}');
    expect(ask()).toEqual({ type: 'unknown' });
  });

  test.each(['', '{', '[]', '{"folders":{"x":1}}'])(
    'approves nothing, reports an error and is not overwritten if it contains %j',
    async (text) => {
      const { home, ask, trust } = await project();
      const file = path.join(home, 'trust.json');
      await writeFile(file, text);
      const damaged = {
        message: `${file} is damaged.`,
        hint: 'Move it away, then trust your folders again with `aca trust`.',
      };
      expect(ask).toThrow(expect.objectContaining(damaged));
      await expect(trust()).rejects.toMatchObject(damaged);
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );
});

describe('the project file', () => {
  test('is the nearest one up to the repository root, and none beyond', async () => {
    const { root } = await workspace({
      '.ai-assistant.json': '{}',
      'repo/.ai-assistant.json': '{}',
      'repo/.git/HEAD': '',
      'repo/a/b/.ai-assistant.json': '{}',
      'repo/c/d/x': '',
      'bare/.git/HEAD': '',
      'loose/x': '',
    });
    const find = (folder: string) => {
      const found = findProjectFile(path.join(root, folder));
      return found === null ? null : path.relative(root, found).replaceAll(path.sep, '/');
    };
    await mkdir(path.join(root, 'bare/sub'));
    expect(['repo/a/b', 'repo/c/d', 'repo', 'bare/sub', 'loose', '.'].map(find)).toEqual([
      'repo/a/b/.ai-assistant.json',
      'repo/.ai-assistant.json',
      'repo/.ai-assistant.json',
      null,
      null,
      '.ai-assistant.json',
    ]);
  });
});
