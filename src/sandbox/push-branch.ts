import { UserError } from '../contract/errors.ts';
import { limited } from '../lib/async/abort.ts';
import { sentence } from '../lib/text/sentence.ts';
import { withoutPasswords } from '../lib/text/url-password.ts';
import { refused as refusedFetch } from './fetch-repository.ts';
import { type GitOutcome, runGit } from './git.ts';

/** A branch of a repository elsewhere. `gitDir` is a repository here. */
export type RemoteBranch = { gitDir: string; url: string; branch: string; env: NodeJS.ProcessEnv };

const TIMEOUT_MS = 120_000;
const MAX_REASON = 600;

/** The commit of the branch there; empty if there is none. Uses the user's own credentials. */
export async function remoteCommit(remote: RemoteBranch): Promise<string> {
  const { success, out, err } = await run(remote, ['ls-remote', '--', remote.url, refOf(remote)]);
  if (!success) throw refused(remote, err);
  return out.split('\t')[0] ?? '';
}

/**
 * Pushes a commit if the branch there is still what it `replaces` (empty: it does not exist). Returns the
 * commit that the branch has there afterwards: somebody else's, if they were faster.
 */
export async function pushBranch(
  remote: RemoteBranch,
  { commit, replaces }: { commit: string; replaces: string },
): Promise<string> {
  const ref = refOf(remote);
  const lease = `--force-with-lease=${ref}:${replaces}`;
  const args = ['push', '--quiet', '--no-verify', lease, '--', remote.url, `${commit}:${ref}`];
  const { success, err } = await run(remote, args);
  if (success) return commit;
  const there = await remoteCommit(remote);
  if (there === '' || there === replaces) throw refused(remote, err);
  return there;
}

/** Brings the commits of the branch there into the repository here, where no ref names them. */
export async function fetchBranch(remote: RemoteBranch): Promise<void> {
  const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const done = await run(remote, [...args, '--', remote.url, refOf(remote)]);
  if (!done.success) throw refusedFetch(remote.url, done);
}

function run({ gitDir, env }: RemoteBranch, args: readonly string[]): Promise<GitOutcome> {
  return runGit(args, {
    cwd: gitDir,
    env,
    use: 'fetch',
    variables: { GIT_DIR: gitDir },
    signal: limited(TIMEOUT_MS),
  });
}

function refOf({ branch }: RemoteBranch): string {
  return `refs/heads/${branch}`;
}

function refused({ branch }: RemoteBranch, err: string): UserError {
  const reason = withoutPasswords(refusalIn(err));
  return new UserError(
    `Could not push ${branch}: ${sentence(reason)}`,
    'Check that git may write to its repository.',
  );
}

/** What the server and its hooks said, or else the last line of git. */
export function refusalIn(err: string): string {
  const lines = err.split('\n').map((line) => line.trim());
  const theirs = lines.flatMap((line) => /^remote:\s*(.*\S)/.exec(line)?.[1] ?? []);
  const because = lines.flatMap((line) => /^! \[(?:remote )?rejected\].*\((.+)\)$/.exec(line)?.[1] ?? []);
  const said = [...theirs, ...because].join(' / ');
  return said === '' ? (lines.findLast((line) => line !== '') ?? '') : said.slice(0, MAX_REASON);
}
