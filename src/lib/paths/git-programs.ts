import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { readRegularText } from '../files/regular-file.ts';

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
    const text = textOf(file)?.replaceAll(LARGE_FILES, '') ?? '';
    const found = PROGRAM_SETTINGS.find(([key]) => key.test(text));
    if (found !== undefined) return `the repository's own settings (${found[1]}) can make git run programs`;
  }
  const modules = [textOf(path.join(root, '.gitmodules')), ...settings.map(textOf)];
  if (modules.some((text) => /\bignore\s*=/i.test(text ?? '')))
    return "git would look into the repository's submodules";
  return null;
}

/** The texts of the config files of the repository around a folder; empty if there is none. */
export function repositoryConfigs(folder: string): string[] {
  const root = repositoryAround(folder);
  return root === null ? [] : configFiles(root).flatMap((file) => textOf(file) ?? []);
}

/** Whether git runs hooks of the repository around a folder. */
export function hasHooks(folder: string): boolean {
  const root = repositoryAround(folder);
  if (root === null) return false;
  if (configFiles(root).some((file) => /\bhookspath\s*=/i.test(textOf(file) ?? ''))) return true;
  return gitFolders(root).some((one) => {
    const hooks = path.join(one, 'hooks');
    const names = statSync(hooks, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(hooks) : [];
    return names.some((name) => !name.endsWith('.sample'));
  });
}

function configFiles(root: string): string[] {
  return gitFolders(root).flatMap((one) => [path.join(one, 'config'), path.join(one, 'config.worktree')]);
}

function repositoryAround(folder: string): string | null {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (statSync(path.join(at, '.git'), { throwIfNoEntry: false })) return at;
    if (path.dirname(at) === at) return null;
  }
}

/** A worktree has its own git folder and a shared one. */
function gitFolders(root: string): string[] {
  const dot = path.join(root, '.git');
  const [, elsewhere] = /^gitdir: (.+)$/m.exec(textOf(dot) ?? '') ?? [];
  const own = elsewhere === undefined ? dot : path.resolve(root, elsewhere.trim());
  const shared = textOf(path.join(own, 'commondir'));
  return shared === null ? [own] : [own, path.resolve(own, shared.trim())];
}

/** Null if there is no such file. */
function textOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() ? readRegularText(file) : null;
}
