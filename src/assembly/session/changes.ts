import { UnknownRevisionError, UserError } from '../../contract/errors.ts';
import type { Git } from '../../sandbox/git.ts';

/** Changes as reported by git: a description, the file statistics, and the diff. */
export type Changes = { what: string; stat: string; diff: string };

/** No external programs configured by the repository, no colors, with rename detection. */
const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '-M'];

export function stagedChanges(git: Git): Promise<Changes> {
  return between(git, 'the staged changes', ['--cached']);
}

/**
 * The changes to review. Default: everything uncommitted, or else what this branch adds. Otherwise `staged`;
 * a branch, for what it adds; a commit; or a range such as `main..topic`.
 */
export async function changesNamed(git: Git, wanted: string): Promise<Changes> {
  if (wanted === '') return uncommitted(git);
  if (wanted === 'staged') return stagedChanges(git);
  if (wanted.startsWith('-'))
    throw new UserError(`${wanted} contains no changes.`, 'Specify a branch, a commit or a range.');
  if (wanted.includes('..')) return between(git, wanted, [wanted, '--']);
  const isBranch = (await git.query('rev-parse', '--verify', '--quiet', `refs/heads/${wanted}`)).success;
  if (isBranch) return branchChanges(git, wanted);
  const commit = (await git.query('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`)).out.trim();
  if (commit === '')
    throw new UnknownRevisionError(
      `No branch or commit named ${wanted}.`,
      'Run `git branch` to list branches.',
    );
  return between(git, `commit ${commit.slice(0, 10)}`, [`${commit}^!`, '--']);
}

async function uncommitted(git: Git): Promise<Changes> {
  const hasCommit = (await git.query('rev-parse', '--verify', '--quiet', 'HEAD')).success;
  const changes = await between(git, 'uncommitted changes', hasCommit ? ['HEAD'] : ['--cached']);
  const fresh = (await git.query('ls-files', '--others', '--exclude-standard', '-z')).out
    .split('\0')
    .filter(Boolean);
  if (fresh.length > 0)
    return { ...changes, stat: `${changes.stat}\nNew and not staged (read them): ${fresh.join(', ')}` };
  if (changes.diff !== '' || !hasCommit) return changes;
  return branchChanges(git, 'HEAD');
}

/** What it adds to the default branch. */
async function branchChanges(git: Git, branch: string): Promise<Changes> {
  const base = await baseOf(git, branch);
  if (base === null) return { what: `branch ${branch}`, stat: '', diff: '' };
  const name = branch === 'HEAD' ? 'this branch' : `branch ${branch}`;
  return between(git, `${name} compared with ${base}`, [`${base}...${branch}`, '--']);
}

async function baseOf(git: Git, branch: string): Promise<string | null> {
  const current = (await git.query('symbolic-ref', '--quiet', '--short', 'HEAD')).out.trim();
  const named = branch === 'HEAD' ? current : branch;
  const remote = (
    await git.query('symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')
  ).out.trim();
  for (const candidate of [remote, 'main', 'master', 'trunk', 'develop', current]) {
    if (candidate === '' || candidate === named || candidate === `origin/${named}`) continue;
    if ((await git.query('rev-parse', '--verify', '--quiet', `${candidate}^{commit}`)).success)
      return candidate;
  }
  return null;
}

async function between(git: Git, what: string, range: readonly string[]): Promise<Changes> {
  const [stat, diff] = await Promise.all([
    git.query(...DIFF, '--stat=100', ...range),
    git.query(...DIFF, ...range),
  ]);
  if (!diff.success)
    throw new UnknownRevisionError(`Git could not show ${what}: ${firstLine(diff.err)}`, 'Check the name.');
  return { what, stat: stat.out.trimEnd(), diff: diff.out };
}

export function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
