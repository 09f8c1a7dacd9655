import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { createStartupWatch } from './startup-watch.ts';

const env = { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** A project, what a command then plants in it, and what of that is set aside. */
async function planted(
  deed: (root: string, put: (file: string, text: string) => void) => void,
  { git = false } = {},
) {
  const { root, home } = await workspace({ 'a.txt': 'a', 'src/b.txt': 'b' });
  const run = (...args: string[]) => execFileSync('git', args, { cwd: root, env, stdio: 'pipe' });
  if (git) run('init', '-q');
  const watch = createStartupWatch({ roots: [root], folder: path.join(home, 'aside'), home });
  await watch.enter({ mounted: true });
  deed(root, (file, text) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  });
  const found = (await watch.check()).map((one) => path.relative(root, one.path)).sort();
  watch.leave();
  return { root, home, found };
}

describe('a bare repository that a command makes of', () => {
  test.each(['.', 'src', 'deep/new/folder'])('%s runs nothing', async (folder) => {
    const { root, home, found } = await planted((top, put) => {
      const at = path.join(top, folder);
      mkdirSync(at, { recursive: true });
      execFileSync('git', ['init', '-q', '--bare', '.'], { cwd: at, env });
      const evil = `echo ran > ${path.join(top, '..', 'home', 'mark')}`;
      execFileSync('git', ['config', 'core.fsmonitor', evil], { cwd: at, env });
      execFileSync('git', ['config', 'core.worktree', at], { cwd: at, env });
      execFileSync('git', ['config', 'core.bare', 'false'], { cwd: at, env });
      put(path.join(folder, 'hooks/pre-commit'), '#!/bin/sh\n');
    });
    expect(found).toEqual(['config', 'hooks/pre-commit'].map((name) => path.join(folder, name)));
    execFileSync('sh', ['-c', 'git status; true'], { cwd: path.join(root, folder), env, stdio: 'pipe' });
    expect(existsSync(path.join(home, 'mark'))).toBe(false);
  });

  test('a folder that leads to another repository runs nothing', async () => {
    const { found } = await planted((_, put) => {
      put('HEAD', 'ref: refs/heads/main\n');
      put('commondir', 'src/evil\n');
    });
    expect(found).toEqual(['commondir']);
  });

  test('an ordinary one, made with git init, stays', async () => {
    const { found } = await planted((root) =>
      execFileSync('git', ['init', '-q', '--bare', 'origin.git'], { cwd: root, env }),
    );
    expect(found).toEqual([]);
  });
});

describe('a rebase that waits to be continued', () => {
  const table: [file: string, text: string, isHarmless: boolean][] = [
    ['git-rebase-todo', 'pick 1234567 one\nfixup 2345678 two\n# exec x\nupdate-ref refs/heads/x\n', true],
    ['git-rebase-todo', 'pick 1234567 one\nexec ./evil\n', false],
    ['git-rebase-todo', '  x ./evil\n', false],
    ['strategy', 'ort\n', true],
    ['strategy', '', true],
    ['strategy', 'evil\n', false],
  ];
  test.each(table)('%s with %j is harmless: %s', async (file, text, isHarmless) => {
    for (const place of ['.git/rebase-merge', '.git/worktrees/w/rebase-merge']) {
      const { found } = await planted((_, put) => put(path.join(place, file), text), { git: true });
      expect(found).toEqual(isHarmless ? [] : [path.join(place, file)]);
    }
  });

  test('objects of a repository elsewhere are not read', async () => {
    const at = '.git/objects/info/alternates';
    const elsewhere = await planted((_, put) => put(at, '/root/private/.git/objects\n'), { git: true });
    expect(elsewhere.found).toEqual([at]);
    const inside = await planted((root, put) => put(at, `${root}/other/.git/objects\n`), { git: true });
    expect(inside.found).toEqual([]);
  });
});
