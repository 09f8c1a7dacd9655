import { appendFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { peek } from '../lib/files/peek.ts';
import { fileSecrets } from './file-secrets.ts';

const closed = /(^|\/)(\.env[^/]*|\.npmrc|secrets\.json|\.aws\/.*)$/;

async function project(files: Record<string, string>) {
  const space = await workspace(files);
  const read: string[] = [];
  const said: string[] = [];
  const source = fileSecrets({
    folders: [space.root],
    except: path.join(space.root, 'records'),
    home: space.home,
    isClosed: (file) => closed.test(file),
    onLimit: (text) => said.push(text.replaceAll(`${space.root}/`, '')),
    peek: {
      ...peek,
      text: (file) => {
        read.push(path.relative(space.root, file));
        return peek.text(file);
      },
    },
  });
  const values = () => source().map(({ value }) => value);
  return { ...space, source, values, read, said };
}

test('protected files are read at any depth; others, dependencies and our own records are not', async () => {
  const { values } = await project({
    '.env': 'A_TOKEN=canary-top\n',
    'app/.env.local': 'B_TOKEN=canary-below\n',
    'app/src/.env': 'C_TOKEN=canary-deep\n',
    'a/b/c/d/e/f/g/.env': 'G_TOKEN=canary-deepest\n',
    'app/config.ts': 'D_TOKEN=canary-source\n',
    'node_modules/.env': 'E_TOKEN=canary-dependency\n',
    'records/.env': 'F_TOKEN=canary-record\n',
  });
  expect(values().sort()).toEqual(['canary-below', 'canary-deep', 'canary-deepest', 'canary-top']);
});

test('nothing is read twice, and the list is the identical object, while nothing changes', async () => {
  const { source, read } = await project({
    '.env': 'A_TOKEN=canary-top\n',
    'b/.npmrc': '_authToken=canary-npm\n',
  });
  const first = source();
  expect(source()).toBe(first);
  expect(read.sort()).toEqual(['.env', 'b/.npmrc']);
});

test('changed, new and removed files are noticed', async () => {
  const { root, values } = await project({ '.env': 'A_TOKEN=canary-one\n' });
  expect(values()).toEqual(['canary-one']);
  await appendFile(path.join(root, '.env'), 'B_TOKEN=canary-two\n');
  expect(values()).toEqual(['canary-one', 'canary-two']);
  await mkdir(path.join(root, 'new'));
  await writeFile(path.join(root, 'new/secrets.json'), '{"token":"canary-three"}');
  expect(values()).toEqual(['canary-one', 'canary-two', 'canary-three']);
  await rm(path.join(root, '.env'));
  expect(values()).toEqual(['canary-three']);
});

test('credentials in the home folder are known, links are followed, non-files are skipped', async () => {
  const { root, home, values } = await project({ 'real.txt': 'A_TOKEN=canary-linked\n' });
  await mkdir(path.join(home, '.aws'));
  await writeFile(path.join(home, '.aws/credentials'), 'aws_secret_access_key = canary-aws-value\n');
  await symlink('real.txt', path.join(root, '.env'));
  await mkdir(path.join(root, '.env.d'));
  await symlink('nowhere', path.join(root, '.env.local'));
  expect(values()).toEqual(['canary-aws-value', 'canary-linked']);
});

test('a file too large for settings is not read', async () => {
  const { values, read } = await project({ '.env': `A_TOKEN=canary-top\n${'#'.repeat(1024 * 1024)}` });
  expect(values()).toEqual([]);
  expect(read).toEqual([]);
});

describe('what is beyond the limits is said once', () => {
  const numbered = (count: number, name: (i: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), `A_TOKEN=canary-${i}\n`]));

  test.each<[string, Record<string, string>, string]>([
    ['folders', numbered(2_005, (i) => `f${i}/a.txt`), '6 or more folders.'],
    ['levels', { [`${'d/'.repeat(40)}.env`]: 'A_TOKEN=canary-deep\n' }, '1 or more folders.'],
    [
      'files',
      numbered(205, (i) => `.env.${1_000 + i}`),
      '.env.1200, .env.1201, .env.1202, 2 more secret files.',
    ],
    ['a large file', { 'a/.env': '#'.repeat(1024 * 1024 + 1) }, 'a/.env.'],
  ])('%s', async (_, files, named) => {
    const { values, said, root } = await project(files);
    values();
    values();
    expect(said).toEqual([
      `Too much to read for the secret firewall: ${named} Values of secret files there are not replaced in requests. The files stay closed to tools, and to commands in the sandbox.`,
    ]);
    await rm(root, { recursive: true });
    await mkdir(root);
    values();
    expect(said).toHaveLength(1);
  });

  test('nothing, where everything is read', async () => {
    const { values, said } = await project({ '.env': 'A_TOKEN=canary-top\n' });
    values();
    expect(said).toEqual([]);
  });
});

test('in a worktree, the config of its repository is read', async () => {
  const { root } = await workspace({
    'main/.git/config': '[remote "origin"]\n\turl = https://me:canary-Remote-123@host/a.git\n',
    'main/.git/worktrees/tree/commondir': '../..\n',
    'tree/.git': 'gitdir: ../main/.git/worktrees/tree\n',
  });
  const tree = path.join(root, 'tree');
  const source = fileSecrets({ folders: [tree], except: '', home: root, isClosed: () => false, peek });
  expect(source().map(({ value }) => value)).toEqual(['canary-Remote-123']);
});
