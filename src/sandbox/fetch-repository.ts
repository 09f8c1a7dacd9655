import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { limited } from '../lib/async/abort.ts';
import { makeFolder } from '../lib/files/make-folder.ts';
import { withoutPasswords } from '../lib/text/url-password.ts';
import { type GitOutcome, runGit } from './git.ts';

export type Repository = { url: string; ref?: string; sha?: string };

export type FetchOptions = {
  /** A folder to create for the files. */
  into: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  timeoutMs?: number;
};

const TIMEOUT_MS = 120_000;

/** Takes precedence over the repository's own attributes. */
const ATTRIBUTES = '* -filter -diff -merge -text -eol -ident -working-tree-encoding\n';

/**
 * Fetches the files of one commit of a git repository, with the user's own credentials. Returns the id of the
 * commit.
 */
export async function fetchRepository(
  { url, ref, sha }: Repository,
  { into, env, signal, timeoutMs = TIMEOUT_MS }: FetchOptions,
): Promise<string> {
  const timer = limited(timeoutMs, signal);
  makeFolder(into, 0o700);
  const place = { cwd: into, env, use: 'fetch' as const, signal: timer };
  const git = async (...args: string[]): Promise<GitOutcome> => {
    try {
      return await runGit(args, place);
    } catch (error) {
      if (signal.aborted || !timer.aborted) throw error;
      throw new UserError(
        `${withoutPasswords(url)} did not answer within ${timeoutMs / 1000}s.`,
        'Try again later.',
      );
    }
  };
  const need = async (...args: string[]): Promise<GitOutcome> => {
    const done = await git(...args);
    if (!done.success) throw refused(url, done);
    return done;
  };
  try {
    await need('init', '--quiet', '--template=', '.');
    makeFolder(path.join(into, '.git', 'info'));
    writeFileSync(path.join(into, '.git', 'info', 'attributes'), ATTRIBUTES);
    const fetch = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    const wanted = sha ?? ref ?? 'HEAD';
    // Not every server sends a single commit by its id.
    const short = await git(...fetch, '--depth=1', '--', url, `${wanted}:refs/aca/wanted`);
    if (!short.success && sha === undefined) throw refused(url, short);
    if (!short.success) await need(...fetch, '--', url, '+refs/*:refs/aca/all/*');
    await need('checkout', '--quiet', '--detach', short.success ? 'refs/aca/wanted' : wanted);
    const commit = (await need('rev-parse', 'HEAD')).out.trim();
    if (sha !== undefined && commit !== sha)
      throw new UserError(`${withoutPasswords(url)} has another commit than ${sha}.`, 'Do not use it.');
    return commit;
  } catch (error) {
    rmSync(into, { recursive: true, force: true });
    throw error;
  }
}

/** Git repeats the URL in some of its messages. */
export function refused(url: string, { err }: GitOutcome): UserError {
  const lines = err.split('\n').filter((line) => line.trim() !== '');
  const reason = (lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1) ?? '').replace(
    /^\w+: /,
    '',
  );
  return new UserError(
    withoutPasswords(`${url} could not be fetched: ${reason.replace(/\.$/, '') || 'git failed'}.`),
    'Check the address, and that git may read it.',
  );
}
