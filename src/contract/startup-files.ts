import path from 'node:path';
import { foldPath } from '../lib/paths/fold-path.ts';
import { type StartupFiles, startupFiles } from './startup/list.ts';

/** In the home folder in addition to the above: folders of programs and editor settings. */
const homeFolders: readonly string[] = ['.config/nvim', '.emacs.d', '.local/bin', 'bin'];

/** Literal names, in lower case except where the name is always spelled otherwise. */
const spelled: Readonly<Record<string, string>> = { 'library/launchagents': 'Library/LaunchAgents' };

const judged = startupFiles.map((group) => ({
  group,
  match: matcher([...group.sealed, ...group.checked, ...(group.unchecked ?? [])]),
}));
const looked = startupFiles.map((group) => ({ group, match: matcher([...group.sealed, ...group.checked]) }));
/** Parent folders of checked files, as `.github` is of `.github/workflows`. */
const above = matcher(
  startupFiles
    .flatMap(({ sealed, checked }) => [...sealed, ...checked])
    .flatMap(expanded)
    .flatMap((pattern) => {
      const parts = pattern.replace(/\/$/, '').split('/').slice(0, -1);
      return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
    }),
);

const names = new RegExp(
  `^(${startupFiles
    .flatMap(({ sealed, checked }) => [...sealed, ...checked])
    .flatMap(expanded)
    .map((pattern) => sourceOf(path.posix.basename(pattern)))
    .join('|')})[. :]*$`,
);

/** The reason why every write to a path is asked about, or undefined. */
export function startupRule(file: string): StartupFiles | undefined {
  return ruleIn(judged, file);
}

/** The same for a path changed by a sandboxed command. */
export function checkedStartupRule(file: string): StartupFiles | undefined {
  return ruleIn(looked, file);
}

/** Whether a name can be a startup file in any folder: a fast check for whole trees. */
export function mayBeStartupFile(name: string): boolean {
  return !/^[ -~]*$/.test(name) || names.test(name.toLowerCase());
}

/** Whether a folder with this name can contain startup files: then a link to one is followed. */
export function isAboveStartupFile(folder: string): boolean {
  return above.test(folded(folder));
}

/** Names in a project folder that are mounted read-only if they exist. */
export const sealedNames: readonly string[] = [
  ...new Set(
    startupFiles.flatMap(({ sealed }) => sealed.flatMap(expanded).map((one) => one.split('/')[0] ?? one)),
  ),
];

/** Names in the home folder that are mounted read-only if they exist. */
export const homeStartupNames: readonly string[] = [
  ...startupFiles
    .flatMap(({ sealed, checked }) => [...sealed, ...checked])
    .flatMap(expanded)
    .filter((pattern) => !pattern.includes('*'))
    .map((pattern) => pattern.replace(/\/$/, ''))
    .map((name) => spelled[name] ?? name),
  ...homeFolders,
];

function ruleIn(rules: readonly { group: StartupFiles; match: RegExp }[], file: string) {
  const name = folded(file);
  return rules.find(({ match }) => match.test(name))?.group;
}

function folded(file: string): string {
  return foldPath(file.replaceAll('\\', '/'));
}

function matcher(patterns: readonly string[]): RegExp {
  return new RegExp(`(^|/)(${patterns.map(sourceOf).join('|')})$`);
}

function sourceOf(pattern: string): string {
  const isFolder = pattern.endsWith('/');
  const source = (isFolder ? pattern.slice(0, -1) : pattern)
    .replace(/[.+?^$()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replace(/\{([^}]*)\}/g, (_, words: string) => `(${words.split(',').join('|')})`);
  return isFolder ? `${source}(/.*)?` : source;
}

function expanded(pattern: string): string[] {
  const found = /\{([^}]*)\}/.exec(pattern);
  if (!found) return [pattern];
  const [whole, words = ''] = found;
  return words.split(',').flatMap((word) => expanded(pattern.replace(whole, word)));
}
