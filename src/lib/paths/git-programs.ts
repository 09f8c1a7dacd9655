import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../files/errno.ts';
import { gitDirs, textIfAny } from './git-dirs.ts';

/** Repository settings that name programs, other files or other folders, by the end of the key. */
const PROGRAM_SETTINGS: readonly [key: RegExp, what: string][] = [
  [/\[\s*include(if)?\b/i, 'include'],
  [/\b(clean|smudge|process)\s*=/i, 'filter'],
  [/\btextconv\s*=/i, 'textconv'],
  [/\b(external|command)\s*=/i, 'diff'],
  [/\bworktree\s*=/i, 'core.worktree'],
  [/\bfsmonitor\s*=\s*(?!(true|false)\s*$)\S/im, 'core.fsmonitor'],
  [/\bprogram\s*=/i, 'gpg.program'],
  [/\b(partialclone|promisor)\b/i, 'promisor'],
];
/** What `git lfs install --local` writes: a program installed by the user. */
const LARGE_FILES =
  /^\s*(clean = git-lfs clean -- %f|smudge = git-lfs smudge( --skip)? -- %f|process = git-lfs filter-process( --skip)?)\s*$/gim;

/**
 * Why git, run in `folder`, would run programs that the repository names, or null. Checks only what the
 * environment cannot override; see `safeGitEnvironment`.
 */
export function repositoryPrograms(folder: string): string | null {
  const root = repositoryAround(folder);
  if (root === null) return null;
  const settings = configFiles(root);
  for (const file of settings) {
    const text = textIfAny(file)?.replaceAll(LARGE_FILES, '') ?? '';
    const found = PROGRAM_SETTINGS.find(([key]) => key.test(text));
    if (found !== undefined) return `the repository's own settings (${found[1]}) can make git run programs`;
  }
  const modules = [textIfAny(path.join(root, '.gitmodules')), ...settings.map(textIfAny)];
  if (modules.some((text) => /\bignore\s*=/i.test(text ?? '')))
    return "git would look into the repository's submodules";
  return null;
}

/** The texts of the config files of the repository around a folder; empty if there is none. */
export function repositoryConfigs(folder: string): string[] {
  const root = repositoryAround(folder);
  return root === null ? [] : configFiles(root).flatMap((file) => textIfAny(file) ?? []);
}

/** Whether git runs hooks of the repository around a folder. */
export function hasHooks(folder: string): boolean {
  const root = repositoryAround(folder);
  if (root === null) return false;
  if (configFiles(root).some((file) => /\bhookspath\s*=/i.test(textIfAny(file) ?? ''))) return true;
  return gitDirs(root).some((one) => {
    const hooks = path.join(one, 'hooks');
    const names = unlessErrno(['ENOENT', 'ENOTDIR'], [], () => readdirSync(hooks));
    return names.some((name) => !name.endsWith('.sample'));
  });
}

function configFiles(root: string): string[] {
  return gitDirs(root).flatMap((one) => [path.join(one, 'config'), path.join(one, 'config.worktree')]);
}

function repositoryAround(folder: string): string | null {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (existsSync(path.join(at, '.git'))) return at;
    if (path.dirname(at) === at) return null;
  }
}
