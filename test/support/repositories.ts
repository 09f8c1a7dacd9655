import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { changesOf } from '../../src/sandbox/worktrees/changes.ts';
import { createWorktree, type WorktreeOptions } from '../../src/sandbox/worktrees/create.ts';
import type { Worktree } from '../../src/sandbox/worktrees/worktree.ts';
import { freshFolder } from './workspace.ts';

type Files = Record<string, string | Buffer>;

/** A repository with these files in its first commit; no files, no commit. */
export async function repository(files: Files, name = 'project') {
  const base = await freshFolder('aca-trees-');
  const root = path.join(base, name);
  const env = { PATH: process.env.PATH ?? '', HOME: base, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  mkdirSync(root);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  put(root, files);
  if (Object.keys(files).length > 0) {
    git('add', '-A');
    git('commit', '-qm', 'one');
  }
  const make = (options: Partial<WorktreeOptions> = {}) =>
    createWorktree({ repository: root, at: path.join(base, 'trees', 'one'), env, ...options });
  return { base, root, env, git, make };
}

export function put(root: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
}

/** Everything in a folder: files with their mode, links, empty folders; without `.git` unless asked for. */
export function contentOf(folder: string, { git = false } = {}): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string) => {
    for (const name of readdirSync(at).sort()) {
      const file = path.join(at, name);
      const stat = lstatSync(file);
      const key = path.relative(folder, file);
      if (name === '.git' && !git) continue;
      if (stat.isSymbolicLink()) found[key] = `link to ${readlinkSync(file)}`;
      else if (stat.isDirectory()) walk(file);
      else found[key] = `${stat.mode & 0o100 ? 'x ' : ''}${readFileSync(file).toString('latin1')}`;
    }
  };
  walk(folder);
  return found;
}

export const changedNames = async (tree: Worktree) => {
  const { files, leftOut } = await changesOf(tree);
  return { files: files.map((file) => file.path), leftOut };
};

/** Git as the user of a workspace runs it. */
export function gitIn(cwd: string, home: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim();
}
