import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { normalizeProject, projectKey } from './project-key.ts';

async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-key-')));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

test("[M01] twelve characters of the path's SHA-1", () => {
  expect(projectKey('/no/such/place')).toBe('c75c3efb8201');
});

test('[M01] one folder is one project however its path is written', async () => {
  const base = await folder();
  await mkdir(path.join(base, 'app', 'src'), { recursive: true });
  await symlink(path.join(base, 'app'), path.join(base, 'link'));
  const spellings = ['app', 'app/', 'app/.', 'app/src/..', './app//', 'link', 'link/src/..'];
  const keys = new Set(spellings.map((spelling) => projectKey(`${base}/${spelling}`)));
  expect(keys).toEqual(new Set([projectKey(path.join(base, 'app'))]));
  expect(projectKey(path.join(base, 'app', 'src'))).not.toBe(projectKey(path.join(base, 'app')));
});

test('the worktrees of a repository are one project, folder by folder', async () => {
  const base = await folder();
  const own = path.join(base, 'main', '.git', 'worktrees', 'side');
  await mkdir(own, { recursive: true });
  await mkdir(path.join(base, 'main', 'web'));
  await mkdir(path.join(base, 'side', 'web'), { recursive: true });
  await writeFile(path.join(base, 'side', '.git'), `gitdir: ${own}\n`);
  await writeFile(path.join(own, 'commondir'), '../..\n');
  await writeFile(path.join(own, 'gitdir'), `${path.join(base, 'side', '.git')}\n`);
  expect(normalizeProject(path.join(base, 'side'))).toBe(path.join(base, 'main'));
  expect(projectKey(path.join(base, 'side', 'web'))).toBe(projectKey(path.join(base, 'main', 'web')));
});

test('a file that falsely claims to be a worktree of another project is ignored', async () => {
  const base = await folder();
  const own = path.join(base, 'main', '.git', 'worktrees', 'side');
  await mkdir(own, { recursive: true });
  await mkdir(path.join(base, 'side'));
  await mkdir(path.join(base, 'thief'));
  await writeFile(path.join(own, 'commondir'), '../..\n');
  await writeFile(path.join(own, 'gitdir'), `${path.join(base, 'side', '.git')}\n`);
  await writeFile(path.join(base, 'thief', '.git'), `gitdir: ${own}\n`);
  expect(normalizeProject(path.join(base, 'thief'))).toBe(path.join(base, 'thief'));
});
