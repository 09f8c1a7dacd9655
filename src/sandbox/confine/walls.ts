import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { SandboxLevel } from '../../contract/sandbox.ts';
import { homeStartupNames, sealedNames } from '../../contract/startup-files.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import { foldPath } from '../../lib/paths/fold-path.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { pathMatcher } from '../files/path-pattern.ts';
import { isErrno, realPath } from '../files/real-path.ts';
import { secretRules } from '../secrets.ts';
import { type Closed, createSecretSearch, type Found } from './find-secrets.ts';
import { gitFoldersOf } from './git-folders.ts';
import { credentials, systemFolders } from './known-paths.ts';
import { rootOnlyFiles } from './root-only.ts';

export type WallsOptions = {
  cwd: string;
  /** Folders the user opened beside the working directory. */
  additionalDirectories: readonly string[];
  /** Folders that commands may change besides those. */
  writablePaths: readonly string[];
  /** Patterns of the user's exceptions to what is closed in the home folder. */
  allowedPaths: readonly string[];
  /** Whether the name of a file in the project closes it to reading. */
  isClosed(file: string): boolean;
  home: string;
  /** Where the assistant keeps everything: closed, but for `outputFolder`. */
  dataRoot: string;
  outputFolder?: string;
  /** Other folders in there that commands may look into. */
  readableFolders?: readonly string[];
};

/** Which parts of the disk a command can see and change. All paths are real ones that exist. */
export type Walls = {
  /** What the user works in; commands can change it unless the level is strict. */
  roots: string[];
  writable: boolean;
  /** Folders inside the roots with something closed below them: nobody may move them out of the way. */
  pinned: string[];
  readOnly: string[];
  hidden: Closed[];
  /** Sockets found in the projects; whether somebody listens is not known. */
  sockets: string[];
  /** To be seen even in places that are otherwise hidden. */
  shown: string[];
  planted: string[];
};

/** What it returns is asked before each command: files come and go. */
export function createWalls(
  options: WallsOptions,
): (level: SandboxLevel, readable?: readonly string[]) => Walls {
  const { cwd, home } = options;
  const allowed = options.allowedPaths.map((pattern) => pathMatcher(pattern, { cwd, home }));
  const isOpen = (file: string) => allowed.some((matches) => matches(file));
  const search = createSecretSearch(({ path: file, type }) =>
    type === 'file' ? options.isClosed(file) : isSecretFolder(file) && !isOpen(file),
  );
  return (level, readable = []) => wallsNow(options, { level, readable, search, isOpen });
}

type Asked = {
  level: SandboxLevel;
  /** What was opened to this command beside the roots. */
  readable: readonly string[];
  search(root: string): Found;
  isOpen(file: string): boolean;
};

function wallsNow(options: WallsOptions, { level, readable, search, isOpen }: Asked): Walls {
  const { cwd, home, dataRoot, outputFolder } = options;
  const resolve = (written: string) => realPath(resolvePath(written, cwd, { HOME: home }));
  const projects = present([cwd, ...options.additionalDirectories].map(resolve)).filter(isFolder);
  const searches = projects.map(search);
  const gits = [...projects, ...searches.flatMap(({ repositories }) => repositories)].map((folder) =>
    gitFoldersOf(folder, home),
  );
  const roots = outermost([
    ...projects,
    ...present(options.writablePaths.map(resolve)),
    ...gits.flatMap((git) => git.writable),
  ]);
  const hidden = outermostClosed([
    ...searches.flatMap(({ secrets }) => secrets),
    ...present([...credentials.map((name) => path.join(home, name)), dataRoot])
      .filter((file) => !isOpen(file))
      .map(asClosed),
    ...rootOnlyFiles(),
  ]);
  const isHidden = (file: string) => hidden.some((closed) => isInside(closed.path, file));
  const readOnly = present([
    ...projects.flatMap((root) => sealedNames.map((name) => path.join(root, name))),
    ...homeStartupNames.map((name) => path.join(home, name)),
    ...systemFolders,
    ...gits.flatMap((git) => git.readOnly),
  ]).filter((file) => roots.some((root) => root !== file && isInside(root, file)) && !isHidden(file));
  const writable = level !== 'strict';
  return {
    roots,
    writable,
    pinned: writable ? above([...readOnly, ...hidden.map((closed) => closed.path)], roots) : [],
    readOnly: outermost(readOnly),
    hidden,
    sockets: searches.flatMap(({ sockets }) => sockets).filter((file) => !isHidden(file)),
    shown: present([
      home,
      ...gits.flatMap((git) => git.shown),
      ...(outputFolder === undefined ? [] : [outputFolder]),
      ...(options.readableFolders ?? []),
      ...readable,
    ]),
    planted: gits.flatMap((git) => git.planted),
  };
}

function isSecretFolder(folder: string): boolean {
  const folded = foldPath(folder);
  return secretRules.some(({ of, match }) => of === 'folder' && match.test(folded));
}

/** The folders between a root and what is closed somewhere below it, from the top down. */
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

/** Without those that lie inside another. */
function outermost(files: readonly string[]): string[] {
  const all = [...new Set(files)].sort();
  return all.filter((file) => !all.some((other) => other !== file && isInside(other, file)));
}

function outermostClosed(closed: readonly Closed[]): Closed[] {
  const paths = new Set(outermost(closed.map((one) => one.path)));
  return closed.filter((one) => paths.delete(one.path));
}

function asClosed(file: string): Closed {
  return { path: file, type: isFolder(file) ? 'folder' : 'file' };
}

function isFolder(file: string): boolean {
  try {
    return statSync(file).isDirectory();
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])) return false;
    throw error;
  }
}
