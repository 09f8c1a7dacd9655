import { existsSync } from 'node:fs';
import path from 'node:path';
import { projectContent, projectRoot, trustOf } from '../../config/trust.ts';
import { UserError } from '../../contract/errors.ts';
import { counted } from '../../lib/text/counted.ts';
import { createGit, type Git } from '../../sandbox/git.ts';
import type { Host } from '../host.ts';
import type { SessionOptions } from '../options.ts';
import { loadSettings } from '../settings.ts';

type Place = { host: Host; options: SessionOptions; report(text: string): void };

/** The worktree of a session: `base` is the commit it started from, null if the worktree or branch existed before. */
type Worktree = { folder: string; branch: string; base: string | null };

const NAME = /^[A-Za-z0-9][\w.-]{0,60}$/;
const WAYS = 'Use letters, digits, dots and dashes: --worktree=fix-login "the task".';

/**
 * Runs a session in a git worktree beside the repository, on its own branch. If nothing was changed, both are
 * removed at the end; otherwise both stay, and the user is notified where they are.
 */
export async function inWorktree(
  wanted: string | true,
  { host, options, report }: Place,
  run: (place: { cwd: string; trust?: true }) => Promise<number>,
): Promise<number> {
  const { env, cwd } = host;
  const { root, trusted } = loadSettings(options, host);
  const git = (folder: string, top: string) => createGit({ cwd: folder, env, trusted: trusted ? top : null });
  const outside = git(cwd, projectRoot(cwd));
  const name = wanted === true ? stampOf(new Date()) : wanted;
  if (!NAME.test(name) || name.includes('..') || /\.(lock)?$/.test(name))
    throw new UserError(`"${name}" is not a valid worktree name.`, WAYS);

  const made = await makeWorktree(name, outside);
  report(`Working in ${made.folder}, on branch ${made.branch}.`);
  const inner = await sameFolder(made.folder, outside);
  // The user trusts the same files in the original folder.
  const trust = trusted && trustOf(root, cwd, projectContent(inner, root)).type === 'trusted';
  try {
    return await run({ cwd: inner, ...(trust && { trust }) });
  } finally {
    report(await leave(made, { inside: git(made.folder, made.folder), outside }));
  }
}

async function makeWorktree(name: string, git: Git): Promise<Worktree> {
  const common = await git.query('rev-parse', '--path-format=absolute', '--git-common-dir');
  if (!common.success)
    throw new UserError(
      'A worktree needs a git repository, and this folder is not in one.',
      'Run `git init` first.',
    );
  const head = await git.query('rev-parse', '--verify', '--quiet', 'HEAD');
  if (!head.success)
    throw new UserError('A worktree starts from a commit, and there is none yet.', 'Commit something first.');
  const main = path.dirname(common.out.trim());
  const folder = path.join(path.dirname(main), `${path.basename(main)}.worktrees`, name);
  const branch = `aca/${name}`;
  const known = (await git.query('worktree', 'list', '--porcelain')).out.split('\n');
  if (known.includes(`worktree ${folder}`) && existsSync(folder)) return { folder, branch, base: null };
  if (existsSync(folder)) throw new UserError(`${folder} already exists.`, 'Choose another name.');
  const isBranch = (await git.query('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`)).success;
  const { success, err } = await git.act([
    ...['worktree', 'add'],
    ...(isBranch ? [folder, branch] : ['-b', branch, folder]),
  ]);
  if (!success)
    throw new UserError(
      `Could not create the worktree: ${err.trim()}`,
      'Fix that, or run without --worktree.',
    );
  // A branch that existed before holds the user's work.
  return { folder, branch, base: isBranch ? null : head.out.trim() };
}

/** The matching subfolder in the worktree, if it exists there. */
async function sameFolder(folder: string, git: Git): Promise<string> {
  const prefix = (await git.query('rev-parse', '--show-prefix')).out.trim();
  const inner = path.join(folder, prefix);
  return existsSync(inner) ? path.resolve(inner) : folder;
}

/**
 * The closing message. Files ignored by git count as the user's work, too: nothing is deleted without asking.
 */
async function leave(
  { folder, branch, base }: Worktree,
  { inside, outside }: { inside: Git; outside: Git },
): Promise<string> {
  if (!existsSync(folder)) return `The worktree ${folder} no longer exists.`;
  const status = await inside.query('status', '--porcelain', '--ignored');
  const head = (await inside.query('rev-parse', 'HEAD')).out.trim();
  const isUntouched = base !== null && status.success && status.out === '' && head === base;
  if (isUntouched && (await outside.act(['worktree', 'remove', folder])).success) {
    await outside.act(['branch', '--delete', branch]);
    return 'Nothing changed; the worktree and its branch were removed.';
  }
  const open = status.out.split('\n').filter(Boolean).length;
  const commits =
    base === null ? '' : (await inside.query('rev-list', '--count', `${base}..HEAD`)).out.trim();
  const facts = [
    ...(commits === '' || commits === '0'
      ? []
      : [`${commits} new ${commits === '1' ? 'commit' : 'commits'}`]),
    ...(open === 0 ? [] : [`${counted(open, 'file')} not committed`]),
  ];
  return [
    `Kept the worktree ${folder} on branch ${branch}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}.`,
    `Resume there with --worktree=${path.basename(folder)}, merge it with \`git merge ${branch}\`, or remove it with \`git worktree remove ${folder}\`.`,
  ].join('\n');
}

function stampOf(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}
