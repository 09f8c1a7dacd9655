import { UserError } from '../contract/errors.ts';
import { limited } from '../lib/async/abort.ts';
import { fetchEnvironment } from './fetch-repository.ts';
import { runGit } from './git.ts';

export type Push = { gitDir: string; url: string; branch: string; commit: string; env: NodeJS.ProcessEnv };

const TIMEOUT_MS = 120_000;

/**
 * Pushes a commit as a new branch, with the user's own credentials, and returns the commit that the branch has
 * there: if the branch exists already, it stays as it is.
 */
export async function pushNewBranch({ gitDir, url, branch, commit, env }: Push): Promise<string> {
  const place = {
    cwd: gitDir,
    env: { ...fetchEnvironment(env), GIT_DIR: gitDir },
    signal: limited(TIMEOUT_MS),
  };
  const ref = `refs/heads/${branch}`;
  const lease = `--force-with-lease=${ref}:`;
  const pushed = await runGit(
    ['push', '--quiet', '--no-verify', lease, '--', url, `${commit}:${ref}`],
    place,
  );
  if (pushed.success) return commit;
  const there = await runGit(['ls-remote', '--', url, ref], place);
  const [existing = ''] = there.out.split('\t');
  if (there.success && existing !== '') return existing;
  const reason = pushed.err.trim().split('\n').at(-1) ?? '';
  throw new UserError(`Could not push ${branch}: ${reason}`, 'Check that git may write to it.');
}
