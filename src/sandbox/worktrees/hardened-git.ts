import { UserError } from '../../contract/errors.ts';
import { sentence } from '../../lib/text/sentence.ts';
import { type GitOutcome, runGit } from '../git.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Where git works: a folder, or the folders of a repository that it must not look for itself. */
export type GitFolder = {
  cwd: string;
  env: Variables;
  /** Overrides what git would find from `cwd`. */
  gitDir?: string;
  workTree?: string;
  index?: string;
  /** Where new objects are written. */
  objects?: string;
  /** An open file for the output. */
  output?: number;
  signal?: AbortSignal;
};

/** The user's own; everything else named GIT_ would lead to another repository or program. */
const KEPT = /^GIT_(CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|(AUTHOR|COMMITTER)_(NAME|EMAIL))$/;
const IDENTITY = {
  GIT_AUTHOR_NAME: 'aca',
  GIT_AUTHOR_EMAIL: 'aca@localhost',
  GIT_COMMITTER_NAME: 'aca',
  GIT_COMMITTER_EMAIL: 'aca@localhost',
};

/**
 * Runs git so that no program of a repository runs, whatever its settings, hooks and files say. Attributes
 * select filters; `quietAttributes` in `info/attributes` of the git folder turns those off.
 */
export async function git(folder: GitFolder, args: readonly string[], input?: string): Promise<GitOutcome> {
  const { cwd, env, gitDir, workTree, index, objects, output, signal } = folder;
  const own = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.test(name));
  return runGit(args, {
    cwd,
    env: Object.fromEntries(own),
    use: 'read',
    variables: {
      GIT_LITERAL_PATHSPECS: '1',
      LC_ALL: 'C',
      ...(gitDir !== undefined && { GIT_DIR: gitDir }),
      ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
      ...(objects !== undefined && { GIT_OBJECT_DIRECTORY: objects }),
    },
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(signal && { signal }),
  });
}

/** The output of a command that has to succeed. */
export async function gitOutput(folder: GitFolder, args: readonly string[], input?: string): Promise<string> {
  const { success, out, err } = await git(folder, args, input);
  if (success) return out;
  throw gitFailure(folder, err, args[0]);
}

/** Without an error number if its output is a file. */
const FULL = /No space left on device|Disk quota exceeded|unknown write failure on standard output/;

/** What git said about a failure, for the user. */
export function gitFailure({ cwd }: Pick<GitFolder, 'cwd'>, err: string, command = ''): UserError {
  if (FULL.test(err))
    return new UserError(
      `The disk is full: git could not record the files in ${cwd}.`,
      'Free some space, and try again.',
    );
  const reason = /^(?:fatal|error): (.+)$/m.exec(err)?.[1] ?? err.trim().split('\n')[0] ?? '';
  return new UserError(`Git failed in ${cwd}: ${sentence(reason || command)}`, 'Fix that, and try again.');
}

/** The trimmed output, or null if the command failed. */
export async function gitAnswer(folder: GitFolder, args: readonly string[]): Promise<string | null> {
  const { success, out } = await git(folder, args);
  return success ? out.trim() : null;
}

/** Writes a commit and returns its id. Its author is the user, or this program if the user has no name. */
export async function commitTree(
  folder: GitFolder,
  { tree, parent, message }: { tree: string; parent: string | null; message: string },
): Promise<string> {
  const command = ['commit-tree', tree, ...(parent === null ? [] : ['-p', parent]), '-F', '-'];
  const { success, out } = await git(folder, command, `${message}\n`);
  if (success) return out.trim();
  const named = { ...folder, env: { ...folder.env, ...IDENTITY } };
  return (await gitOutput(named, command, `${message}\n`)).trim();
}

/**
 * For `info/attributes`, which takes precedence over the attributes in the files: no filters, no diff or merge
 * programs. Files of Git LFS therefore are its pointers.
 */
export const quietAttributes = '* -filter !diff !merge\n';
