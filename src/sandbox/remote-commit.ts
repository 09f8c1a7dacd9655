import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { limited } from '../lib/async/abort.ts';
import { withoutPasswords } from '../lib/text/url-password.ts';
import { type Repository, refused } from './fetch-repository.ts';
import { runGit } from './git.ts';

const TIMEOUT_MS = 30_000;

/**
 * The commit that a branch, a tag or `HEAD` of a repository elsewhere is now, found as `git fetch` finds it; null if there
 * is none. Uses the user's own credentials, and asks nobody. Throws a `UserError` if the repository does not answer.
 */
export async function commitAt(
  { url, ref }: Required<Pick<Repository, 'url' | 'ref'>>,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const names = [ref, `refs/${ref}`, `refs/tags/${ref}`, `refs/heads/${ref}`];
  // No repository around it: the settings of one may name programs.
  const cwd = mkdtempSync(path.join(tmpdir(), 'aca-remote-'));
  const signal = limited(TIMEOUT_MS);
  const place = {
    cwd,
    env,
    use: 'fetch' as const,
    variables: { GIT_CEILING_DIRECTORIES: path.dirname(cwd) },
    signal,
  };
  try {
    const asked = names.flatMap((name) => [name, `${name}^{}`]);
    const answer = await runGit(['ls-remote', '--quiet', '--', url, ...asked], place);
    if (!answer.success) throw refused(url, answer);
    const lines = answer.out.split('\n').map((line) => line.split('\t'));
    const found = new Map(lines.map(([id = '', name = '']) => [name, id]));
    const first = names.find((name) => found.has(name));
    // A tag with a message is an object of its own.
    return first === undefined ? null : (found.get(`${first}^{}`) ?? found.get(first) ?? null);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new UserError(
      `${withoutPasswords(url)} did not answer within ${TIMEOUT_MS / 1000}s.`,
      'Try again later.',
    );
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
