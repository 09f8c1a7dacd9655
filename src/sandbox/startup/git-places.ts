import { lstatSync } from 'node:fs';
import path from 'node:path';
import { isInside } from '../../lib/paths/inside.ts';
import { shellWord } from '../../lib/text/shell-quote.ts';
import { entriesOf, ifAccessible } from '../files/if-accessible.ts';
import { realPath } from '../files/real-path.ts';
import { parseGitConfig } from './git-config.ts';
import { concerningSettings } from './harmless-git.ts';
import type { Concern, Content, Place } from './place.ts';

const BECAUSE = 'git runs commands from it';
type Around = { roots: readonly string[] };

/** `folders` are git folders whose files are among the places. */
type GitPlaces = { places: Place[]; folders: string[] };

/**
 * The files of a git folder from which git runs programs or finds its config. Everything else in there is
 * what commits and branches change.
 */
export function gitPlaces(gitdir: string, around: Around): GitPlaces {
  const at = (...names: string[]) => path.join(gitdir, ...names);
  const hooks = entriesOf(at('hooks')).filter(({ name }) => !name.endsWith('.sample'));
  const worktrees = foldersIn(at('worktrees'));
  const modules = modulesIn(at('modules')).map((module) => gitPlaces(module, around));
  return {
    places: [
      ...['config', 'config.worktree'].map((name) => configPlace(at(name), around)),
      ...[at('commondir'), at('info/attributes'), ...links(gitdir)].map(place),
      ...continued(gitdir),
      { ...place(at('objects/info/alternates')), judge: judgeAlternates(gitdir, around) },
      ...hooks.map(({ name }) => place(at('hooks', name))),
      ...worktrees.flatMap((folder) => [
        configPlace(path.join(folder, 'config.worktree'), around),
        { ...place(path.join(folder, 'commondir')), judge: judgeCommonFolder },
        ...continued(folder),
      ]),
      ...modules.flatMap(({ places }) => places),
    ].filter(({ path: file }) => typeOf(file) !== null),
    folders: [gitdir, ...worktrees, ...modules.flatMap(({ folders }) => folders)],
  };
}

/** A `.git` file names the git folder. Git itself creates only those of worktrees and submodules. */
export function gitLinkPlace(file: string, gitFolders: ReadonlySet<string>): Place {
  const judge = (_: Content | null, after: Content): Concern | null => {
    const written = /^gitdir: (.+)$/m.exec(after.bytes.toString('utf8'))?.[1];
    const gitdir = after.type === 'file' && written !== undefined ? realOf(file, written.trim()) : null;
    return gitdir !== null && gitFolders.has(gitdir) ? null : { because: BECAUSE };
  };
  return { ...place(file), judge };
}

function place(file: string): Place {
  return { path: file, because: BECAUSE };
}

/** What an unfinished rebase does when the user continues it. */
function continued(gitdir: string): Place[] {
  const at = (name: string) => path.join(gitdir, 'rebase-merge', name);
  return [
    { ...place(at('git-rebase-todo')), judge: judgeSteps },
    { ...place(at('strategy')), judge: judgeStrategy },
  ];
}

const RUNS = /^\s*(x|exec)\b/;

function judgeSteps(before: Content | null, after: Content): Concern | null {
  const stepsOf = (content: Content | null) =>
    (content?.bytes.toString('utf8') ?? '').split('\n').filter((line) => RUNS.test(line));
  const had = new Set(stepsOf(before));
  const isHarmless = after.type === 'file' && stepsOf(after).every((step) => had.has(step));
  return isHarmless ? null : { because: '`git rebase --continue` runs commands from it' };
}

/** Another name is a program, `git-merge-NAME`. */
function judgeStrategy(_: Content | null, { type, bytes }: Content): Concern | null {
  const isBuiltIn = /^(ort|recursive|resolve|octopus|ours|subtree)?\s*$/.test(bytes.toString('utf8'));
  return type === 'file' && isBuiltIn ? null : { because: BECAUSE };
}

/** Objects of another repository, which may be private. */
function judgeAlternates(gitdir: string, { roots }: Around): NonNullable<Place['judge']> {
  return (_, { type, bytes }) => {
    const folders = bytes.toString('utf8').split('\n').filter(Boolean);
    const isOwn = folders.every((written) => {
      const real = realOf(path.join(gitdir, 'objects', 'alternates'), written);
      return real !== null && roots.some((root) => isInside(root, real));
    });
    return type === 'file' && isOwn ? null : { because: 'git reads objects of another repository' };
  };
}

function configPlace(file: string, { roots }: Around): Place {
  const isOwn = (written: string) => {
    const real = realOf(file, written);
    return real !== null && roots.some((root) => isInside(root, real));
  };
  const judge = (before: Content | null, after: Content): Concern | null => {
    const settings = after.type === 'file' ? parseGitConfig(after.bytes.toString('latin1')) : null;
    if (settings === null) return { because: BECAUSE };
    const had = before?.type === 'file' ? parseGitConfig(before.bytes.toString('latin1')) : [];
    const found = concerningSettings(settings, { before: had ?? [], isOwn });
    if (found.length === 0) return null;
    const sameAs = found
      .map(({ key, value }) => `git config ${shellWord(key)} ${shellWord(value)}`)
      .join('; ');
    const keys = [...new Set(found.map(({ key }) => key))].join(', ');
    return { because: `it sets ${keys}, which can make git run programs or send data elsewhere`, sameAs };
  };
  return { ...place(file), judge };
}

function judgeCommonFolder(_: Content | null, { type, bytes }: Content): Concern | null {
  return type === 'file' && bytes.toString('utf8').trim() === '../..' ? null : { because: BECAUSE };
}

/** Where a path leads that is written in a file; null for a loop of links. */
function realOf(file: string, written: string): string | null {
  try {
    return realPath(path.resolve(path.dirname(file), written));
  } catch {
    return null;
  }
}

/** Folders that git creates, replaced by links: what they lead to is not checked. */
function links(gitdir: string): string[] {
  return ['hooks', 'info', 'modules', 'worktrees']
    .map((name) => path.join(gitdir, name))
    .filter((file) => typeOf(file) === 'link');
}

function foldersIn(folder: string): string[] {
  if (typeOf(folder) !== 'folder') return [];
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => path.join(folder, name));
}

/** Git folders of submodules; their names may contain slashes. */
function modulesIn(folder: string): string[] {
  return foldersIn(folder).flatMap((at) =>
    ['config', 'HEAD'].some((name) => typeOf(path.join(at, name)) !== null) ? [at] : modulesIn(at),
  );
}

function typeOf(file: string): 'folder' | 'link' | 'file' | null {
  const stat = ifAccessible(() => lstatSync(file));
  if (!stat) return null;
  return stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'file';
}
