// @module-tag soak
import { readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { aca, doors } from '../support/aca.ts';
import { calls, says } from '../support/model-server/script.ts';
import { git } from '../support/recorded/recording.ts';
import { ALLOWED, bash, play, replay, write } from '../support/replay.ts';
import { serve } from '../support/serve.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const FILES = { 'a.txt': 'one\n', 'src/b.txt': 'two\n', 'gone.txt': 'x\n', 'unnamed.txt': 'not in it\n' };

/** A session in a repository that reads, changes, creates and removes files, as a bundle. */
async function recorded(args: string[] = []) {
  const space = await workspace(FILES);
  await symlink('a.txt', path.join(space.root, 'link'));
  await git(space, 'init -q -b main && git add . && git commit -qm start');
  const id = await play(
    space,
    [
      calls(['Read', { file_path: path.join(space.root, 'src/b.txt') }]),
      write('src/new/c.txt', 'three\n'),
      bash('cat a.txt link; echo more >> a.txt; rm gone.txt; git status --short; git log --format=%s'),
      says('Done.'),
    ],
    ALLOWED,
  );
  const file = path.join(space.home, 's.aca');
  const { stdout } = await aca(space, ['sessions', 'export', id, '--bundle', '-o', file, ...args]);
  return { space, id, file, stdout };
}

type Kind = { prepare(other: Workspace, source: Workspace): Promise<string[]>; unnamed: boolean };

const kinds: Record<string, Kind> = {
  'an empty folder': { prepare: async () => [], unnamed: false },
  'a folder that does not exist': {
    async prepare({ root }) {
      await rm(root, { recursive: true });
      return [];
    },
    unnamed: false,
  },
  'a clone of the repository': {
    async prepare(other, source) {
      await git(other, `clone -q "${source.root}" .`);
      return ['--files'];
    },
    unnamed: true,
  },
};

describe('on a machine that never had the project, a session is replayed, resumed and undone', () => {
  test.each(Object.entries(kinds))('%s', { timeout: 120_000 }, async (_, { prepare, unnamed }) => {
    const { space, id, file, stdout } = await recorded();
    expect(stdout).toContain('It includes 2 files that the session did not change, as they are now.\n');
    const other = await workspace();
    const args = await prepare(other, space);
    const imported = await aca(other, ['sessions', 'import', file, '--at', other.root, ...args], {
      cwd: other.home,
    });
    expect(imported).toMatchObject({ code: 0, stdout: `${id}\n` });
    const rest = unnamed ? { 'unnamed.txt': FILES['unnamed.txt'] } : {};
    const left = {
      ...rest,
      'a.txt': 'one\nmore\n',
      'src/b.txt': 'two\n',
      'src/new/c.txt': 'three\n',
    };
    expect(await treeOf(other)).toEqual(left);

    const { report } = await replay(other, id);
    expect(report.differences).toEqual([]);
    expect(report.fromJournal.map(({ because }) => because)).toEqual(
      unnamed ? [] : ['the repository is not here'],
    );

    const server = await serve([bash('cat a.txt'), says('Again.')]);
    const { model, env } = doors.anthropic(server.url);
    const more = ['-p', 'more', '--model', model, '--resume', id, ...ALLOWED];
    expect((await aca(other, more, { env })).stdout).toBe('Again.\n');
    expect(JSON.stringify(server.requests.at(-1))).toContain('one\\nmore');
    expect(JSON.stringify(server.requests)).not.toContain(space.root);

    await aca(other, ['undo', '--yes', '--session', id]);
    expect(await treeOf(other)).toEqual({
      ...rest,
      'a.txt': 'one\n',
      'src/b.txt': 'two\n',
      'gone.txt': 'x\n',
    });
  });

  test('--all-files takes the other files along', async () => {
    const { id, file } = await recorded(['--all-files']);
    const other = await workspace();
    await aca(other, ['sessions', 'import', file]);
    expect((await treeOf(other))['unnamed.txt']).toBe('not in it\n');
    const again = path.join(other.home, 'again.aca');
    await aca(other, ['sessions', 'export', id, '--bundle', '-o', again]);
    const third = await workspace();
    await aca(third, ['sessions', 'import', again]);
    expect((await replay(third, id)).report.differences).toEqual([]);
  });
});

test('a folder with other files is left alone, and --files names what it cannot place', async () => {
  const { id, file } = await recorded();
  const other = await workspace({ 'a.txt': 'mine\n', 'src/b.txt': 'two\n' });
  await aca(other, ['sessions', 'import', file]);
  expect(await other.tree()).toEqual({ 'a.txt': 'mine\n', 'src/b.txt': 'two\n' });
  await aca(other, ['sessions', 'delete', id, '--yes']);
  const placed = await aca(other, ['sessions', 'import', file, '--files']);
  expect(placed.stderr).toContain(`${path.join(other.root, 'a.txt')}: it is neither as it was before`);
  expect(await other.tree()).toEqual({
    'a.txt': 'mine\n',
    'src/b.txt': 'two\n',
    'src/new/c.txt': 'three\n',
  });
});

test('a file whose name contains a secret stays out of the bundle, and the user is told', async () => {
  const canary = 'AKIAIOSFODNN7CANARYX';
  const space = await workspace({ 'a.txt': 'one\n' });
  const id = await play(space, [write(`${canary}.txt`, 'x\n'), write('b.txt', 'b\n'), says('Done.')]);
  const file = path.join(space.home, 's.aca');
  const { stdout } = await aca(space, ['sessions', 'export', id, '--bundle', '-o', file]);
  expect(stdout).toContain('Left out, because their names contain secrets');
  const text = gunzipSync(await readFile(file)).toString();
  const parts = text.split('\n').flatMap((line) => /"data":"([^"]+)"/.exec(line)?.[1] ?? []);
  expect(text + parts.map((part) => Buffer.from(part, 'base64').toString()).join()).not.toContain(canary);
  const other = await workspace();
  await aca(other, ['sessions', 'import', file]);
  expect(await other.tree()).toEqual({ 'b.txt': 'b\n' });
});

async function treeOf(space: Workspace): Promise<Record<string, string>> {
  const tree = await space.tree();
  return Object.fromEntries(Object.entries(tree).filter(([name]) => !name.startsWith('.git/')));
}
