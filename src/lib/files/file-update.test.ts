import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runTogether } from '../../../test/support/run-together.ts';
import { sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { updateFile, userFile } from './file-update.ts';
import { lockFile } from './lock.ts';

const KEYS = 3;

sweep([5, 20])(
  '%i processes that change one settings file and one trust file, some through a link, lose no update',
  async (processes) => {
    const { home } = await workspace();
    const real = path.join(home, 'real');
    const link = path.join(home, 'link');
    await mkdir(real);
    await symlink(real, link);
    const folders = Array.from({ length: processes }, (_, i) => path.join(home, `project-${i}`));
    for (const folder of folders) await mkdir(folder);
    const each = folders.map((folder, i) => {
      const root = i % 2 === 0 ? real : link;
      return [path.join(root, 'config.json'), root, folder, String(KEYS)];
    });
    await runTogether('update-settings.ts', { folder: home, each });
    const { projects } = JSON.parse(await readFile(path.join(real, 'config.json'), 'utf8')) as {
      projects: Record<string, unknown>;
    };
    const wanted = folders.flatMap((folder) => Array.from({ length: KEYS }, (_, i) => `${folder}-${i}`));
    expect(Object.keys(projects).sort()).toEqual(wanted.sort());
    const trust = JSON.parse(await readFile(path.join(real, 'trust.json'), 'utf8')) as { folders: object };
    expect(Object.keys(trust.folders).sort()).toEqual([...folders].sort());
  },
);

test('no lock file is created next to a user file, whatever path leads to it', async () => {
  const { home, root } = await workspace({ 'a.json': '{}' });
  await symlink(root, path.join(home, 'link'));
  const seen = await updateFile(userFile(home, path.join(home, 'link', 'a.json')), async (write) => {
    await write('{"a":1}', { mode: 0o644 });
    return [await readdir(root), await readdir(path.join(home, 'locks'))];
  });
  expect(seen).toEqual([['a.json'], [expect.stringMatching(/^[0-9a-f]{32}\.lock$/)]]);
  expect(userFile(home, path.join(home, 'link', 'a.json'))).toMatchObject({
    lockAs: (userFile(home, path.join(root, 'a.json')) as { lockAs: string }).lockAs,
  });
});

test('updates in one process are serialized, and a failing one does not block the next', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'shared.json');
  let running = 0;
  let most = 0;
  const updates = Array.from({ length: 20 }, (_, i) =>
    updateFile(file, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (i % 3 === 0) throw new Error('failed');
    }).catch(() => undefined),
  );
  await Promise.all(updates);
  expect(most).toBe(1);
});

test('a file has one lock by all of its names, including links to its folder', async () => {
  const { home } = await workspace();
  await mkdir(path.join(home, 'real'));
  await symlink(path.join(home, 'real'), path.join(home, 'link'));
  const lock = await lockFile(path.join(home, 'real', 's.jsonl'));
  expect(await lockFile(path.join(home, 'link', 's.jsonl'))).toBeNull();
  await lock?.release();
});
