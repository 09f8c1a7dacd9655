import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { git, gitAnswer, gitOutput, withIdentity } from './hardened-git.ts';
import { inRepository } from './origin.ts';
import { type Difference, difference, stageAll } from './stage.ts';
import { placesIn, recordOf, type Worktree } from './worktree.ts';

/** What happened in a worktree since it was made. */
export type WorktreeChanges = {
  files: readonly Difference[];
  /** The id of a git tree with all files, in our record of the worktree. */
  tree: string;
  /** Changes that git cannot record: repositories in it, files in the folder of a submodule, unreadable ones. */
  leftOut: readonly string[];
};

const KEPT_MODES = ['--ignore-submodules=none'];

/** Ignored files do not count. Nothing may write to the worktree meanwhile. */
export async function changesOf(worktree: Worktree): Promise<WorktreeChanges> {
  const { base, modules } = worktree;
  const record = recordOf(worktree);
  const { tree, leftOut } = await stageAll(record, modules, base);
  return { files: await difference(record, ['diff-tree', base, tree]), tree, leftOut };
}

/** Writes a patch for `git apply`, with binary and new files. */
export async function writePatch(worktree: Worktree, { tree }: WorktreeChanges, file: string): Promise<void> {
  await gitOutput(recordOf(worktree), [
    'diff-tree',
    '-r',
    '-p',
    '--binary',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    ...KEPT_MODES,
    `--output=${path.resolve(file)}`,
    worktree.base,
    tree,
  ]);
}

export type BranchOptions = {
  branch: string;
  message: string;
  /** The commit that the branch may be at now, to replace it. */
  replaces?: string;
};

/**
 * Commits the changes onto a branch of the repository, as one commit on the base. Index, files, settings and
 * hooks of the repository stay out of it, and the commit is not signed.
 */
export async function commitChanges(
  worktree: Worktree,
  { tree }: WorktreeChanges,
  { branch, message, replaces }: BranchOptions,
): Promise<string> {
  const { gitDir } = worktree.origin;
  if (gitDir === null)
    throw new UserError('A branch needs a repository with a commit.', 'Run `git init` and commit something.');
  const theirs = inRepository(gitDir, worktree.env);
  const ref = `refs/heads/${branch}`;
  if (!(await git(theirs, ['check-ref-format', '--branch', branch])).success)
    throw new UserError(`${branch} is not a valid branch name.`, 'Choose another.');
  const now = await gitAnswer(theirs, ['rev-parse', '--verify', '--quiet', ref]);
  if (now !== null && now !== replaces)
    throw new UserError(`The branch ${branch} already exists.`, 'Choose another name.');
  const record = recordOf(worktree);
  const made = ['commit-tree', tree, '-p', worktree.base, '-F', '-'];
  const commit = (await gitOutput(await withIdentity(record), made, `${message}\n`)).trim();
  await giveObjects(worktree, gitDir, commit);
  await gitOutput(theirs, ['update-ref', ref, commit, now ?? '0'.repeat(commit.length)]);
  return commit;
}

/** Copies the objects that the repository does not have, as a pack. */
async function giveObjects(worktree: Worktree, gitDir: string, commit: string): Promise<void> {
  const record = recordOf(worktree);
  const prefix = path.join(placesIn(worktree.at).record, 'new');
  const name = (
    await gitOutput(record, ['pack-objects', '--revs', '--local', '--quiet', prefix], `${commit}\n`)
  ).trim();
  // Git looks for the index: the pack has to be there first.
  for (const end of ['pack', 'idx']) {
    const to = path.join(gitDir, 'objects', 'pack', `pack-${name}.${end}`);
    if (!existsSync(to)) copyFileSync(`${prefix}-${name}.${end}`, to);
  }
  for (const file of readdirSync(path.dirname(prefix)).filter((one) => one.startsWith('new-')))
    rmSync(path.join(path.dirname(prefix), file), { force: true });
}
