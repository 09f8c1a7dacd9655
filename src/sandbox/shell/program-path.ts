import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { pathsOf, variable } from '../../lib/paths/path-folders.ts';
import { systemFolders } from '../confine/known-paths.ts';
import { realPath } from '../files/real-path.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type ProgramPathOptions = {
  /** The environment of commands. */
  env: Env;
  /** Whether commands may write to a real path: the project, added folders, `sandbox.writablePaths`. */
  isWritable(real: string): boolean;
  platform?: NodeJS.Platform;
};

/** Resolves command names to programs. */
export type ProgramPath = {
  /**
   * The file that a name runs in a folder, if a command or another user could have put it there; else null.
   */
  planted(name: string, folder: string): string | null;
  /** The first file of that name that no one else could have put there, or null. */
  installed(name: string): string | null;
  /** PATH without the folders in which that could happen. */
  safe(): string;
  /** Whether a command or another user can change what a path leads to, at any link in it. */
  isChangeable(file: string): boolean;
};

const OTHERS_WRITE = 0o002;
const STICKY = 0o1000;
const EXECUTABLE = 0o111;
const MAX_LINKS = 40;
/** If no folder of PATH is left. */
const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

export function createProgramPath(options: ProgramPathOptions): ProgramPath {
  const { env, isWritable, platform = process.platform } = options;
  const { delimiter, isAbsolute } = pathsOf(platform);
  // An empty PATH means the current folder to bash; without one it uses a default list.
  const folders = (variable(env, 'PATH', platform) ?? SYSTEM_PATH)
    .split(delimiter)
    .map((folder) => folder.replace(/^"(.*)"$/, '$1'));
  const endings =
    platform === 'win32' ? ['', ...(variable(env, 'PATHEXT', platform) ?? '.EXE').split(';')] : [''];

  /** System folders stay read-only even if the project is a parent of them. */
  const isKeptClosed = (place: string) =>
    systemFolders.some((folder) => isInside(folder, place) && isWritable(folder));

  const isChangeable = (file: string): boolean => {
    if (!isAbsolute(file)) return true;
    // A link loop or an invalid name leads to no program.
    return unlessErrno(
      ['ELOOP', 'ENAMETOOLONG', 'ENOTDIR', 'EACCES', 'EPERM'],
      false,
      () =>
        pathsOnTheWay(file).some((place) => isWritable(place) && !isKeptClosed(place)) ||
        (platform !== 'win32' && othersWrite(realPath(file))),
    );
  };

  const programsIn = (folder: string, name: string) =>
    endings
      .map((ending) => path.join(folder, `${name}${ending}`))
      .filter((file) => isProgram(file, platform));

  return {
    isChangeable,
    planted(name, folder) {
      for (const entry of folders) {
        const [found] = programsIn(path.resolve(folder, entry), name);
        if (found !== undefined) return !isAbsolute(entry) || isChangeable(found) ? found : null;
      }
      return null;
    },
    installed(name) {
      const files = folders.filter(isAbsolute).flatMap((folder) => programsIn(folder, name));
      return files.find((file) => !isChangeable(file)) ?? null;
    },
    safe() {
      const kept = folders.filter((folder) => isAbsolute(folder) && !isChangeable(folder));
      return kept.length > 0 || platform === 'win32' ? kept.join(delimiter) : SYSTEM_PATH;
    },
  };
}

/** A program for the assistant's own use: the first of its name in PATH that is not in the project. */
export function programOutside(name: string, project: string, env: Env): string | null {
  const root = realPath(project);
  return createProgramPath({ env, isWritable: (real) => isInside(root, real) }).installed(name);
}

/** The target of a path and the location of each link in it, all as real paths. */
function pathsOnTheWay(file: string): string[] {
  const real = realPath(file);
  // No links in the path.
  if (real === file) return [real];
  const places: string[] = [];
  const visit = (one: string, links: number): void => {
    const folder = path.dirname(one);
    if (folder === one || links === 0) return;
    visit(folder, links);
    const target = linkAt(one);
    if (target === null) return;
    places.push(path.join(realPath(folder), path.basename(one)));
    visit(path.resolve(realPath(folder), target), links - 1);
  };
  visit(path.resolve(file), MAX_LINKS);
  return [...places, real];
}

function linkAt(file: string): string | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isSymbolicLink() ? readlinkSync(file) : null;
}

/** Whether other users may change the file, put another into its folder, or replace a parent folder. */
function othersWrite(real: string): boolean {
  const own = statSync(real, { throwIfNoEntry: false });
  if (own && (own.mode & OTHERS_WRITE) !== 0) return true;
  // In a sticky folder, a subfolder cannot be replaced, but anyone may have created the file.
  let mayBeReplaced = own?.isFile() ?? true;
  for (let at = path.dirname(real); ; at = path.dirname(at)) {
    const { mode = 0 } = statSync(at, { throwIfNoEntry: false }) ?? {};
    const open = (mode & OTHERS_WRITE) !== 0;
    if (open && (mayBeReplaced || (mode & STICKY) === 0)) return true;
    if (at === path.dirname(at)) return false;
    mayBeReplaced = false;
  }
}

function isProgram(file: string, platform: NodeJS.Platform): boolean {
  const stat = statOf(file);
  return stat?.isFile() === true && (platform === 'win32' || (stat.mode & EXECUTABLE) !== 0);
}

function statOf(file: string): Stats | undefined {
  return unlessErrno(['ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'], undefined, () =>
    statSync(file, { throwIfNoEntry: false }),
  );
}
