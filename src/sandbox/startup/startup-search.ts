import { lstatSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import {
  checkedStartupRule,
  isAboveStartupFile,
  mayBeStartupFile,
  sealedNames,
} from '../../contract/startup-files.ts';
import { gitFoldersOf } from '../confine/git-folders.ts';
import { entriesOf, ifAccessible, isSettled } from '../files/if-accessible.ts';
import { gitLinkPlace, gitPlaces } from './git-places.ts';
import type { JudgeOf, Place } from './place.ts';

/** `gits` are the git folders of the projects, wherever they are; `checkouts` the folders with a `.git`. */
type Found = {
  files: Place[];
  folders: ReadonlySet<string>;
  gits: ReadonlySet<string>;
  checkouts: readonly string[];
};

export type StartupSearch = {
  /** All existing ones, except those to skip. */
  (skip: ReadonlySet<string>): Promise<Found>;
  /** The sealed names that exist at the top of a root and are not links. */
  sealed(): string[];
};

/** Through links, which may be circular. */
const MAX_LINKS = 4;
const PAUSE_EVERY_MS = 12;
/** Managed by package tools and version control, which have their own mechanisms to run things. */
const skippedNames = new Set([
  ...['.hg', '.svn', '.jj', 'node_modules', 'bower_components'],
  ...['.venv', 'venv', '.tox', '__pycache__', 'site-packages', '.terraform', 'Pods', 'DerivedData'],
]);

/** `git` is its `.git`. `isBare`: git takes the folder itself for a repository. */
type Folder = {
  changed: bigint;
  files: Place[];
  folders: Step[];
  git?: { path: string; isFolder: boolean };
  isBare: boolean;
};
/** `link` is the one that led here, `because` why everything in the folder counts. */
type Step = { path: string; links: number; because: string | null; link?: string };

/**
 * Searches whole projects for startup files. An unchanged folder is not read again, so that another search
 * costs one stat per folder.
 */
export function createStartupSearch(
  roots: readonly string[],
  { home, judgeOf }: { home: string; judgeOf?: JudgeOf },
): StartupSearch {
  const known = new Map<string, Folder>();

  function read({ path: folder, links, because, link }: Step): Folder | null {
    const changed = changeOf(folder);
    if (changed === null) return null;
    const before = known.get(folder);
    if (before?.changed === changed) return before;
    const entries = entriesOf(folder);
    const found: Folder = {
      changed,
      files: [],
      folders: [],
      isBare: isBare(entries.map(({ name }) => name)),
    };
    for (const entry of entries) {
      const file = path.join(folder, entry.name);
      if (entry.name.toLowerCase() === '.git') {
        found.git = { path: file, isFolder: entry.isDirectory() };
        continue;
      }
      const rule =
        because ?? (mayBeStartupFile(entry.name) ? checkedStartupRule(file)?.because : null) ?? null;
      if (entry.isDirectory()) {
        if (!skippedNames.has(entry.name))
          found.folders.push({ path: file, links, because: rule, ...(link !== undefined && { link }) });
      } else if (entry.isSymbolicLink()) {
        if (rule !== null) found.files.push({ path: file, because: rule }, ...targetOf(file, rule));
        if ((rule !== null || isAboveStartupFile(file)) && links < MAX_LINKS && isFolder(file))
          found.folders.push({ path: file, links: links + 1, because: rule, link: link ?? file });
      } else if (entry.isFile()) {
        const judge = rule === null ? judgeOf?.(entry.name) : undefined;
        if (rule !== null || judge)
          found.files.push({ path: file, because: rule ?? '', ...(judge && { judge }) });
      }
    }
    const first = found.files[0];
    if (link !== undefined && first) found.files.push({ path: link, because: first.because });
    if (isSettled(changed)) known.set(folder, found);
    return found;
  }

  async function search(skip: ReadonlySet<string>): Promise<Found> {
    const files: Place[] = [];
    const folders = new Set<string>();
    const gits = new Set(roots.flatMap((root) => gitFoldersOf(root, home).writable));
    const bare = new Set<string>();
    const gitLinks: string[] = [];
    const checkouts: string[] = [];
    const found = () => {
      const inside = [...gits].map((gitdir) => gitPlaces(gitdir, { roots }));
      const planted = [...bare].flatMap((gitdir) => gitPlaces(gitdir, { roots }).places);
      const known = new Set(inside.flatMap((one) => one.folders));
      const links = gitLinks.map((file) => gitLinkPlace(file, known));
      const all = [...files, ...inside.flatMap(({ places }) => places), ...planted, ...links];
      return { files: all, folders, gits, checkouts };
    };
    let lastPause = performance.now();
    let level: Step[] = roots.map((root) => ({ path: root, links: 0, because: null }));
    while (level.length > 0) {
      const next: Step[] = [];
      for (const step of level) {
        if (skip.has(step.path)) continue;
        const folder = read(step);
        if (!folder) continue;
        folders.add(step.path);
        files.push(...folder.files.filter(({ path: file }) => !skip.has(file)));
        next.push(...folder.folders);
        if (folder.isBare) bare.add(step.path);
        if (folder.git) checkouts.push(step.path);
        if (folder.git?.isFolder) gits.add(folder.git.path);
        else if (folder.git) {
          gitLinks.push(folder.git.path);
          for (const gitdir of gitFoldersOf(step.path, home).writable) gits.add(gitdir);
        }
        if (performance.now() - lastPause < PAUSE_EVERY_MS) continue;
        await pause();
        lastPause = performance.now();
      }
      level = next;
    }
    return found();
  }

  return Object.assign(search, {
    sealed: () =>
      roots
        .flatMap((root) => sealedNames.map((name) => path.join(root, name)))
        .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === false),
  });
}

function isBare(names: readonly string[]): boolean {
  const has = (name: string) => names.some((one) => one.toLowerCase() === name);
  return has('head') && ((has('refs') && has('objects')) || has('commondir'));
}

/** The target of a link: changing it changes what the link provides. */
function targetOf(link: string, because: string): Place[] {
  const target = ifAccessible(() => realpathSync(link));
  if (target === null || checkedStartupRule(target) || isFolder(target)) return [];
  return [{ path: target, because, via: link }];
}

function changeOf(folder: string): bigint | null {
  return ifAccessible(() => statSync(folder, { bigint: true }).ctimeNs);
}

function isFolder(file: string): boolean {
  return ifAccessible(() => statSync(file).isDirectory()) ?? false;
}
