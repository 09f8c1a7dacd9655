import { closeSync, copyFileSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { commitTree, gitOutput } from './hardened-git.ts';
import { inRepository } from './origin.ts';
import { difference, type Staged, stageAll } from './stage.ts';
import { placesIn, recordOf, type Worktree } from './worktree.ts';

/** What happened in a worktree since it was made. The tree is in our record of the worktree. */
export type WorktreeChanges = Staged;

const KEPT_MODES = ['--ignore-submodules=none'];

/** Ignored files do not count. Nothing may write to the worktree meanwhile. */
export async function changesOf(worktree: Worktree): Promise<WorktreeChanges> {
  return stageAll(recordOf(worktree), worktree.modules, worktree.base);
}

/** The same for a commit of its repository. */
export async function changesIn(worktree: Worktree, commit: string): Promise<WorktreeChanges> {
  const files = await difference(recordOf(worktree), ['diff-tree', worktree.base, commit]);
  return { files, tree: commit, leftOut: [] };
}

/** Writes a patch for `git apply`, with binary and new files. */
export async function writePatch(worktree: Worktree, { tree }: WorktreeChanges, file: string): Promise<void> {
  const output = openSync(file, 'w', 0o600);
  try {
    // With `--output`, git would not notice that the disk is full.
    await gitOutput({ ...recordOf(worktree), output }, [
      'diff-tree',
      '-r',
      '-p',
      '--binary',
      '--full-index',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      ...KEPT_MODES,
      worktree.base,
      tree,
    ]);
  } finally {
    closeSync(output);
  }
}

export type BranchOptions = {
  branch: string;
  message: string;
  /** Whether the branch may exist already. */
  replace?: boolean;
};

/**
 * Adds the changes to the repository, as one commit on the base that is on no branch. Index, files, settings and
 * hooks of the repository stay out of it, and the commit is not signed.
 */
export async function addCommit(
  worktree: Worktree,
  { tree }: WorktreeChanges,
  message: string,
): Promise<{ gitDir: string; commit: string }> {
  const { gitDir } = worktree.origin;
  if (gitDir === null)
    throw new UserError('A branch needs a repository with a commit.', 'Run `git init` and commit something.');
  const commit = await commitTree(recordOf(worktree), { tree, parent: worktree.base, message });
  await giveObjects(worktree, gitDir, commit);
  return { gitDir, commit };
}

/** The same, on a branch. */
export async function commitChanges(
  worktree: Worktree,
  changes: WorktreeChanges,
  { branch, message, replace = false }: BranchOptions,
): Promise<string> {
  const { gitDir, commit } = await addCommit(worktree, changes, message);
  const missing = replace ? [] : ['0'.repeat(commit.length)];
  const theirs = inRepository(gitDir, worktree.env);
  try {
    await gitOutput(theirs, ['update-ref', `refs/heads/${branch}`, commit, ...missing]);
  } catch (error) {
    if (!(error as Error).message.endsWith('reference already exists.')) throw error;
    throw new UserError(`The branch ${branch} already exists.`, 'Choose another name.', { cause: error });
  }
  return commit;
}

/**
 * Copies the objects that the repository does not have, as a pack. What it had at the start is neither read nor walked:
 * a history may be long, and much of it may be missing from a partial clone.
 */
async function giveObjects(worktree: Worktree, gitDir: string, commit: string): Promise<void> {
  const record = recordOf(worktree);
  const prefix = path.join(placesIn(worktree.at).record, 'new');
  const { base } = worktree;
  // A base of uncommitted files is ours alone.
  const isOurs = existsSync(path.join(record.gitDir, 'objects', base.slice(0, 2), base.slice(2)));
  const range = `${commit}\n^${base}${isOurs ? '^@' : ''}\n`;
  const name = (
    await gitOutput(record, ['pack-objects', '--revs', '--local', '--quiet', prefix], range)
  ).trim();
  // Git looks for the index: the pack has to be there first.
  for (const end of ['pack', 'idx']) {
    const to = path.join(gitDir, 'objects', 'pack', `pack-${name}.${end}`);
    if (!existsSync(to)) copyFileSync(`${prefix}-${name}.${end}`, to);
  }
  for (const file of readdirSync(path.dirname(prefix)).filter((one) => one.startsWith('new-')))
    rmSync(path.join(path.dirname(prefix), file), { force: true });
}
