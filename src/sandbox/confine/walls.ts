import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SandboxLevel } from '../../contract/sandbox.ts';
import { homeStartupNames, sealedNames } from '../../contract/startup-files.ts';
import { oncePerTurn } from '../../lib/async/once-per-turn.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { foldPath } from '../../lib/paths/fold-path.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { pathMatcher } from '../files/path-pattern.ts';
import { realPath } from '../files/real-path.ts';
import { secretRule, secretRules } from '../secrets.ts';
import { closedFolders } from './closed-folders.ts';
import { type Closed, createSecretSearch, type Found } from './find-secrets.ts';
import { gitFoldersOf } from './git-folders.ts';
import { folderReader, homesOf, namesIn, openInHome } from './home.ts';
import { credentials, systemFolders } from './known-paths.ts';
import type { Variables } from './launch.ts';
import { rootOnlyFiles } from './root-only.ts';

export type WallsOptions = {
  cwd: string;
  /** Folders the user added to the working directory. */
  additionalDirectories: readonly string[];
  /** Other projects that commands may read but not change; secrets in them are closed, too. */
  readOnlyProjects?: readonly string[];
  /** Other folders that commands may change. */
  writablePaths: readonly string[];
  /** Patterns of the user's exceptions to what is closed in the home folder. */
  allowedPaths: readonly string[];
  /** Other folders that commands may read, in the home folder as well. */
  readablePaths: readonly string[];
  /** Whether a file in the project is closed to reading by its name. */
  isClosed(file: string): boolean;
  home: string;
  /** Of the commands. */
  env: Variables;
  /** The data root of the assistant: closed, except for `outputFolder`. */
  dataRoot: string;
  outputFolder?: string;
  /** Other folders in there that commands may read. */
  readableFolders?: readonly string[];
  /** For tests: the time limit of the search for secrets. */
  searchMs?: number;
};

/** Without what a search of the projects needs. */
export type PlacesOptions = Omit<WallsOptions, 'isClosed' | 'searchMs'>;

/** The parts of the disk that a command can see and change. All paths are real and exist. */
export type Walls = {
  /** The user's project folders; commands can change them unless the level is strict. */
  roots: string[];
  writable: boolean;
  /** Folders inside the roots that contain something closed: they must not be moved. */
  pinned: string[];
  readOnly: string[];
  hidden: Closed[];
  /** Those of them for which only time was missing: they may hold no secrets. */
  unsearched: string[];
  /** Folders in the projects that are hidden as a whole, because there are too many secrets in them. */
  crowded: string[];
  /** Sockets found in the projects, with or without a listener. */
  sockets: string[];
  /** Visible even in places that are otherwise hidden. */
  shown: string[];
};

/** What is open to one command in addition. */
type Opened = {
  /** Paths outside the roots. */
  readable?: readonly string[];
  /** Files that it must not change. */
  sealed?: readonly string[];
  /** Whether it may change the config of repositories; someone checks it afterwards. */
  gitConfig?: boolean;
};

/** The result is called before each command: files come and go. Commands that start together share one answer. */
export function createWalls(options: WallsOptions): (level: SandboxLevel, opened?: Opened) => Promise<Walls> {
  const isOpen = isAllowed(options);
  const search = createSecretSearch({
    isClosed: ({ path: file, type }) =>
      type === 'file' ? options.isClosed(file) : isSecretFolder(file) && !isOpen(file),
    ...(options.searchMs !== undefined && { limitMs: options.searchMs }),
  });
  return oncePerTurn(async (level, opened = {}) => {
    const { projects, others } = searchedFolders(options);
    const searches = await Promise.all(projects.map(search));
    const otherSearches = await Promise.all(others.map(search));
    return wallsOf(options, { level, opened, isOpen, searches, otherSearches });
  });
}

/** The walls around everything outside the projects, which need no search. */
export function outerWalls(options: PlacesOptions): Walls {
  const isOpen = isAllowed(options);
  return wallsOf(options, { level: 'standard', opened: {}, isOpen, searches: [], otherSearches: [] });
}

/** The projects and what the user opened are closed, without a search. */
export function apartWalls(options: PlacesOptions): Walls {
  const { hidden, ...walls } = outerWalls({ ...options, readablePaths: [], readOnlyProjects: [] });
  const closed = [...hidden, ...walls.roots.map(asClosed)];
  return { ...walls, roots: [], writable: false, pinned: [], readOnly: [], hidden: closed };
}

type Built = {
  level: SandboxLevel;
  opened: Opened;
  isOpen(file: string): boolean;
  /** What was found in the projects, and in the other folders. */
  searches: readonly Found[];
  otherSearches: readonly Found[];
};

/** The projects, and other folders that the user opened for reading. */
function searchedFolders(options: PlacesOptions): { projects: string[]; others: string[] } {
  const { cwd, home } = options;
  const resolve = (written: string) => realPath(resolvePath(written, cwd, { HOME: home }));
  return {
    projects: present([cwd, ...options.additionalDirectories].map(resolve)).filter(isFolder),
    others: present([...(options.readOnlyProjects ?? []), ...options.readablePaths].map(resolve)),
  };
}

function isAllowed({ allowedPaths, cwd, home }: PlacesOptions): (file: string) => boolean {
  const allowed = allowedPaths.map((pattern) => pathMatcher(pattern, { cwd, home }));
  return (file) => allowed.some((matches) => matches(file));
}

function wallsOf(options: PlacesOptions, built: Built): Walls {
  const { level, opened, isOpen, searches, otherSearches } = built;
  const { readable = [], sealed = [], gitConfig = false } = opened;
  const { cwd, home, dataRoot, outputFolder } = options;
  const resolve = (written: string) => realPath(resolvePath(written, cwd, { HOME: home }));
  const isThere = folderReader();
  const atHome = (names: readonly string[]) => names.map((name) => path.join(home, name)).filter(isThere);
  const { projects, others } = searchedFolders(options);
  const own = projects.map((folder) => gitFoldersOf(folder, home));
  const nested = searches.flatMap(({ repositories }) => repositories.map((one) => gitFoldersOf(one, home)));
  const gits = [...own, ...nested];
  const configs = [...gits.flatMap((git) => git.configs), ...nested.flatMap((git) => git.links)];
  const roots = outermost([
    ...projects,
    ...present(options.writablePaths.map(resolve)),
    ...gits.flatMap((git) => git.writable),
  ]);
  const shown = [
    ...present([
      ...others,
      ...gits.flatMap((git) => git.shown),
      ...(outputFolder === undefined ? [] : [outputFolder]),
      ...(options.readableFolders ?? []),
      ...readable,
    ]),
    ...openInHome(options),
  ];
  const unsearched = [...searches, ...otherSearches].flatMap((found) => found.unsearched);
  // The user may work in the home folder itself.
  const homes = homesOf(home).filter((one) => !roots.some((root) => isInside(root, one)));
  const isApart = (file: string) =>
    homes.some((one) => isInside(one, file)) && ![...roots, ...shown].some((one) => isInside(one, file));
  const { closed: secrets, folders: crowded } = closedFolders(
    outermostClosed([
      ...[...searches, ...otherSearches].flatMap((found) => found.secrets),
      ...unsearched.map(asClosed),
      ...present([...atHome(credentials), dataRoot])
        .filter((file) => !isOpen(file) && !shown.includes(file))
        .map(asClosed),
      ...shown.flatMap((folder) => secretsDirectlyIn(folder)).filter((one) => !isOpen(one.path)),
      ...rootOnlyFiles(),
    ]).filter((closed) => !isApart(closed.path)),
    { roots: [...projects, ...others] },
  );
  const hidden = [...homes.map(asClosed), ...secrets];
  const isHidden = (file: string) => secrets.some((closed) => isInside(closed.path, file));
  const readOnly = present([
    ...projects.flatMap((root) => sealedNames.map((name) => path.join(root, name))),
    ...atHome(homeStartupNames),
    ...systemFolders,
    ...sealed,
    ...gits.flatMap((git) => git.readOnly),
    ...own.flatMap((git) => git.links),
    ...(gitConfig ? [] : configs),
  ]).filter((file) => roots.some((root) => root !== file && isInside(root, file)) && !isHidden(file));
  const writable = level !== 'strict';
  return {
    roots,
    writable,
    pinned: writable ? above([...readOnly, ...hidden.map((closed) => closed.path)], roots) : [],
    readOnly: outermost(readOnly),
    hidden,
    unsearched,
    crowded,
    sockets: searches.flatMap(({ sockets }) => sockets).filter((file) => !isHidden(file)),
    shown,
  };
}

/** Toolchains that are open may have a file with a login beside their programs. */
function secretsDirectlyIn(folder: string): Closed[] {
  return namesIn(folder)
    .map((name) => path.join(folder, name))
    .filter((file) => secretRule(foldPath(file), 'file')?.of === 'file' && !isFolder(file))
    .map(asClosed);
}

function isSecretFolder(folder: string): boolean {
  const folded = foldPath(folder);
  return secretRules.some(({ of, match }) => of === 'folder' && match.test(folded));
}

/** The folders between a root and a closed path below it, from the top down. */
function above(closed: readonly string[], roots: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of closed) {
    const root = roots.find((one) => one !== file && isInside(one, file));
    if (root === undefined) continue;
    for (let at = path.dirname(file); at !== root && isInside(root, at); at = path.dirname(at))
      folders.add(at);
  }
  return [...folders].sort();
}

function present(files: readonly string[]): string[] {
  return [...new Set(files.filter(existsSync).map((file) => realPath(file)))];
}

/** Without nested ones. */
function outermost(files: readonly string[]): string[] {
  // A folder comes before what is inside, with nothing else in between.
  const keys = new Map(files.map((file) => [file.replaceAll('/', '\0'), file]));
  const found: string[] = [];
  for (const key of [...keys.keys()].sort()) {
    const file = keys.get(key) ?? '';
    const last = found.at(-1);
    if (last === undefined || !isInside(last, file)) found.push(file);
  }
  return found;
}

function outermostClosed(closed: readonly Closed[]): Closed[] {
  const paths = new Set(outermost(closed.map((one) => one.path)));
  return closed.filter((one) => paths.delete(one.path));
}

function asClosed(file: string): Closed {
  return { path: file, type: isFolder(file) ? 'folder' : 'file' };
}

function isFolder(file: string): boolean {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], false, () => statSync(file).isDirectory());
}
