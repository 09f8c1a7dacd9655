import { gitAnswer, gitOutput, type Variables } from './hardened-git.ts';
import { inRepository } from './origin.ts';

/** A branch of a repository on this machine. */
export type LocalBranch = { gitDir: string; branch: string; env: Variables };

/** Empty if there is no such branch. */
export async function branchCommit({ gitDir, branch, env }: LocalBranch): Promise<string> {
  const query = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`];
  return (await gitAnswer(inRepository(gitDir, env), query)) ?? '';
}

/**
 * Sets the branch if it is still at the commit that this one `replaces` (empty: it does not exist). Returns the commit
 * that it has afterwards: somebody else's, if they were faster.
 */
export async function moveBranch(
  local: LocalBranch,
  { commit, replaces }: { commit: string; replaces: string },
): Promise<string> {
  const old = replaces === '' ? '0'.repeat(commit.length) : replaces;
  const command = ['update-ref', `refs/heads/${local.branch}`, commit, old];
  try {
    await gitOutput(inRepository(local.gitDir, local.env), command);
    return commit;
  } catch (error) {
    const there = await branchCommit(local);
    if (there === '' || there === replaces) throw error;
    return there;
  }
}
