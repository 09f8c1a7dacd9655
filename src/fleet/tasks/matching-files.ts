import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { filesBelow } from '../../lib/files/files-below.ts';
import { fileGlobs } from '../../lib/paths/file-globs.ts';
import { compareText } from '../../lib/text/compare.ts';
import { runGit } from '../../sandbox/git.ts';

type Place = { cwd: string; env: NodeJS.ProcessEnv; ref: string };

/**
 * The files below the working directory that match a glob, as a task will find them: those of the commit it
 * starts from, or those on the disk where there is no repository. Relative, with forward slashes.
 */
export async function matchingFiles(glob: string, place: Place): Promise<string[]> {
  const isMatch = fileGlobs([glob], 'root');
  const files = (await committedFiles(place)) ?? filesOnDisk(place.cwd);
  return files.filter(isMatch).toSorted(compareText);
}

/** Null without a repository or a commit. */
async function committedFiles({ cwd, env, ref }: Place): Promise<string[] | null> {
  const isBare = ['HEAD', 'objects', 'refs'].every((name) => existsSync(path.join(cwd, name)));
  const safe = { cwd, env, use: 'read' as const, ...(isBare && { variables: { GIT_DIR: cwd } }) };
  const inside = await runGit(['rev-parse', '--git-dir'], safe).catch(() => null);
  if (!inside?.success) return null;
  const listed = await runGit(['ls-tree', '-r', '-z', ref, '.'], safe);
  // A submodule is a commit, not a file.
  const files = listed.out.split('\0').flatMap((line) => /^\d+ blob \w+\t(.*)$/s.exec(line)?.[1] ?? []);
  if (listed.success) return files;
  if ((await runGit(['rev-parse', '--verify', '--quiet', 'HEAD'], safe)).success)
    throw new UserError(`${ref} is not a commit of this repository.`, 'Name a branch, a tag or a commit.');
  return null;
}

function filesOnDisk(folder: string): string[] {
  const files = filesBelow(folder, { skipped: ['.git', 'node_modules'] });
  return files.map((file) => path.relative(folder, file).replaceAll(path.sep, '/'));
}
