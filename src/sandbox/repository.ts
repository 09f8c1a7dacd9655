import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { unlessErrno } from '../lib/files/errno.ts';
import { readRegularText } from '../lib/files/regular-file.ts';
import { type GitSetting, programSetting } from '../lib/paths/git-programs.ts';
import { safeGitEnvironment } from '../lib/paths/safe-git.ts';
import { entriesOf } from './files/if-accessible.ts';
import { programOutside } from './shell/program-path.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The repository in which git would work, according to git: `top` is its working tree (null without one),
 * `settings` what its own config files say, included files too.
 */
export type Repository = { top: string | null; gitDir: string; settings: GitSetting[] };

/** A hanging disk must not hang the program. */
const TIMEOUT_MS = 10_000;
const MAX_OUTPUT = 16 * 1024 * 1024;

/** Null if there is none, or no git; `unclear` if git itself cannot tell. Runs nothing that the repository names. */
export function findRepository(folder: string, env: Env): Repository | 'unclear' | null {
  const program = programOutside('git', folder, env);
  if (program === null) return null;
  const git = (...args: string[]) => {
    const place = { ...env, ...safeGitEnvironment(), LC_ALL: 'C' };
    const options = { cwd: folder, env: place, encoding: 'utf8' as const, timeout: TIMEOUT_MS };
    return spawnSync(program, args, { ...options, maxBuffer: MAX_OUTPUT, windowsHide: true });
  };
  const found = git('rev-parse', '--path-format=absolute', '--git-common-dir');
  if (found.status !== 0)
    return /^fatal: not a git repository \(/m.test(found.stderr ?? '') ? null : 'unclear';
  const listed = git('config', '--list', '--show-scope', '-z');
  if (listed.status !== 0) return 'unclear';
  const top = git('rev-parse', '--path-format=absolute', '--show-toplevel');
  return {
    top: top.status === 0 ? path.resolve(top.stdout.replace(/\n$/, '')) : null,
    gitDir: path.resolve(found.stdout.replace(/\n$/, '')),
    settings: ownSettings(listed.stdout),
  };
}

/** Why git, run in `folder`, would run programs that the repository names, or null. */
export function repositoryPrograms(folder: string, env: Env): string | null {
  return programsIn(findRepository(folder, env));
}

/** The same for a repository that was found. */
export function programsIn(repository: ReturnType<typeof findRepository>): string | null {
  if (repository === null) return null;
  if (repository === 'unclear') return 'git cannot tell which repository it would use';
  const { top, settings } = repository;
  const key = programSetting(settings);
  if (key !== null) return `the repository's own settings (${key}) can make git run programs`;
  if (top !== null && /\bignore\s*=/i.test(textOf(path.join(top, '.gitmodules'))))
    return "git would look into the repository's submodules";
  return null;
}

/** Whether git would run hooks of the repository around a folder. */
export function hasHooks(folder: string, env: Env): boolean {
  const repository = findRepository(folder, env);
  if (repository === null || repository === 'unclear') return repository !== null;
  if (repository.settings.some(({ key }) => /^(core\.hookspath|hook\..*)$/s.test(key))) return true;
  return entriesOf(path.join(repository.gitDir, 'hooks')).some(({ name }) => !name.endsWith('.sample'));
}

/** Of `--show-scope -z`: a scope and a setting alternate. */
function ownSettings(listed: string): GitSetting[] {
  const words = listed.split('\0');
  return words.flatMap((scope, i): GitSetting[] => {
    if (i % 2 === 1 || !/^(local|worktree)$/.test(scope)) return [];
    const [key = '', ...value] = (words[i + 1] ?? '').split('\n');
    return [{ key, value: value.join('\n') }];
  });
}

function textOf(file: string): string {
  return unlessErrno('any', '', () => readRegularText(file));
}
