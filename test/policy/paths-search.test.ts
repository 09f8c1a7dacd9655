import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Search } from '../../src/contract/tool.ts';
import { createGuard } from '../../src/sandbox/guard.ts';
import { FileSearch } from '../../src/sandbox/search/search.ts';
import { type WhenDone, workspace } from '../support/workspace.ts';
import { harmlessFiles, links, secretFiles } from './paths.cases.ts';

/** All secrets, links and second names of the path table at once, each file with the same word in it. */
async function haystack(whenDone: WhenDone): Promise<Search> {
  const names = harmlessFiles.filter((name) => !/[\n\\]/.test(name));
  const files = Object.fromEntries([...secretFiles, ...names].map((name) => [name, `needle in ${name}\n`]));
  const { root, home } = await workspace(files, whenDone);
  const outside = path.join(path.dirname(root), 'outside');
  await mkdir(outside);
  await writeFile(path.join(outside, 'x.txt'), 'needle outside\n');
  for (const [name, target] of links) await symlink(target.replace('ROOT', root), path.join(root, name));
  await link(path.join(root, '.env'), path.join(root, 'second-name.md'));
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    blockedPaths: ['a..b.txt'],
    allowedPaths: [],
    home,
  });
  return new FileSearch({ guard, cwd: root });
}

const cleanUps: (() => Promise<void>)[] = [];
let search: Search;

beforeAll(async () => {
  search = await haystack((clean) => cleanUps.push(clean));
});
afterAll(() => Promise.all(cleanUps.map((clean) => clean())));

const options = { limit: 10_000, signal: new AbortController().signal };
const isClosed = (line: string) =>
  secretFiles.some((name) => line.endsWith(`needle in ${name}`)) || line.endsWith('needle in a..b.txt');

test.each([false, true])(
  '[P01] Grep shows no line of a closed file, everything searched: %s',
  async (everything) => {
    const { lines } = await search.grep({ pattern: 'needle', mode: 'content' }, { ...options, everything });
    expect(lines.filter(isClosed)).toEqual([]);
    expect(lines.filter((line) => line.endsWith('needle in src/credentials.ts')).length).toBe(1);
    expect(lines.length).toBeGreaterThan(40);
  },
);

test.each([
  '.ssh',
  '.env',
  'link-secret',
  '..',
  '../outside',
  'link-out',
  '/etc',
  '/proc/self',
  '~',
  'link-home',
  'innocent',
])('[X05] Grep and Glob started at %s are refused or show nothing', async (under) => {
  const lines = await search.grep({ pattern: '.', path: under, mode: 'content' }, options).then(
    (found) => found.lines,
    () => [],
  );
  const paths = await search.files('**/*', under, options).then(
    (found) => found.paths,
    () => [],
  );
  expect({ lines, paths }).toEqual({ lines: [], paths: [] });
});

test.each([
  '**/.env*',
  '.env',
  '**/id_rsa',
  '.ssh/**',
  '**/*secret*',
  '../**',
  '/etc/*',
  '{.env,a}',
  '.[e]nv',
])('[P01] Grep with the file pattern %s shows no secret', async (glob) => {
  const found = await search
    .grep({ pattern: 'needle', glob, mode: 'content' }, { ...options, everything: true })
    .catch(() => ({ lines: [] }));
  expect(found.lines.filter((line) => isClosed(line) || line.includes('outside'))).toEqual([]);
});
