import { existsSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { type GitFolder, git, gitAnswer, gitOutput, type Variables } from './hardened-git.ts';
import { modulesIn, type Submodule } from './stage.ts';
import type { Origin } from './worktree.ts';

/** A repository or a folder, as found on the disk. */
export type Source = Origin & {
  /** The git folder of the worktree that was asked for: its index and sparse checkout; null without one. */
  ownGitDir: string | null;
  within: string;
  /** Null without a repository or a commit. */
  commit: string | null;
  /** Submodules of the commit. */
  modules: readonly Submodule[];
  /** How the repository names its objects; null without one. */
  format: string | null;
  /** As `git config -z` prints them: what decides which bytes a file has on the disk, and who commits. */
  settings: string;
};

const COPIED_SETTINGS =
  '^(core\\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|longpaths|sparsecheckout|sparsecheckoutcone)|user\\.(name|email))$';

/** Git runs there, but reads only ids and settings. */
export const inRepository = (gitDir: string, env: Variables): GitFolder => ({ cwd: gitDir, env, gitDir });

export async function findSource(
  repository: string,
  { base, env }: { base?: string; env: Variables },
): Promise<Source> {
  if (!unlessErrno('any', false, () => statSync(repository).isDirectory()))
    throw new UserError(`${repository} is not a folder.`, 'Check the path.');
  const folder = realpathSync.native(repository);
  const found = await repositoryAt(folder, env);
  const gitDir = found?.gitDir ?? null;
  // The commit of this worktree: others of the repository have their own HEAD.
  const inner = found && inRepository(found.ownGitDir ?? found.gitDir, env);
  const wanted = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base ?? 'HEAD'}^{commit}`];
  const commit = inner && (await gitAnswer(inner, wanted));
  if (commit === null && base !== undefined) throw await withoutCommit(repository, base, inner);
  const root = found ? found.root : folder;
  if (commit === null && root === null)
    throw new UserError(`${repository} has no commit yet.`, 'Commit something first.');
  const borrowed = commit === null ? null : inner;
  return {
    root,
    gitDir: commit === null ? null : gitDir,
    ownGitDir: found?.ownGitDir ?? null,
    within: root === null ? '' : path.relative(root, folder),
    commit,
    modules: inner && commit !== null ? await modulesIn(inner, commit) : [],
    format: borrowed && (await gitOutput(borrowed, ['rev-parse', '--show-object-format'])).trim(),
    settings: borrowed ? (await git(borrowed, ['config', '-z', '--get-regexp', COPIED_SETTINGS])).out : '',
  };
}

async function withoutCommit(repository: string, base: string, inner: GitFolder | null): Promise<UserError> {
  if (!inner)
    return new UserError(`${repository} is not a git repository.`, 'Name it as a folder, or run `git init`.');
  const isEmpty = (await gitAnswer(inner, ['for-each-ref', '--count=1'])) === '';
  return isEmpty
    ? new UserError(`${repository} has no commits yet.`, 'Commit something first.')
    : new UserError(
        `${repository} has no commit ${base}.`,
        'Check the name; `git branch --all` lists branches.',
      );
}

async function repositoryAt(
  folder: string,
  env: Variables,
): Promise<(Origin & { gitDir: string; ownGitDir: string | null }) | null> {
  if (['HEAD', 'objects', 'refs'].every((name) => existsSync(path.join(folder, name)))) {
    const bare = await gitAnswer(inRepository(folder, env), ['rev-parse', '--is-bare-repository']);
    if (bare === 'true') return { root: null, gitDir: folder, ownGitDir: null };
  }
  const root = folderWithGit(folder);
  if (root === null) return null;
  const ask = async (what: string) =>
    (await gitOutput({ cwd: root, env }, ['rev-parse', '--path-format=absolute', what])).replace(/\n$/, '');
  const [top, gitDir, ownGitDir] = [
    await ask('--show-toplevel'),
    await ask('--git-common-dir'),
    await ask('--git-dir'),
  ];
  // A repository may name any folder as its own.
  if (path.resolve(top) !== root)
    throw new UserError(`The repository in ${root} has its files in ${top}.`, 'Start there.');
  return { root, gitDir: path.resolve(gitDir), ownGitDir: path.resolve(ownGitDir) };
}

function folderWithGit(folder: string): string | null {
  for (let at = folder; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return at;
    if (at === path.dirname(at)) return null;
  }
}
