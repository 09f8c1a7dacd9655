import { existsSync, lstatSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isErrno, unlessErrno } from '../../lib/files/errno.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { entriesOf } from '../files/if-accessible.ts';
import { realPath } from '../files/real-path.ts';

/**
 * Where git stores what a commit changes, what in there makes git run programs, its config, the files by which
 * a worktree and its repository find each other, and the working tree.
 */
export type GitFolders = {
  writable: string[];
  readOnly: string[];
  configs: string[];
  links: string[];
  shown: string[];
};

type Closed = Pick<GitFolders, 'readOnly' | 'configs'>;

const nothing: GitFolders = { writable: [], readOnly: [], configs: [], links: [], shown: [] };

/** For the repository that contains a folder; the home folder and its parents do not count. */
export function gitFoldersOf(folder: string, home: string): GitFolders {
  for (let at = folder; ; at = path.dirname(at)) {
    const dotGit = path.join(at, '.git');
    const found = typeOf(dotGit);
    if (found === 'folder') return existsSync(path.join(dotGit, 'HEAD')) ? ownFolder(dotGit, at) : nothing;
    if (found === 'file') return elsewhere(dotGit);
    const above = path.dirname(at);
    if (above === at || isInside(above, home)) return nothing;
  }
}

function ownFolder(dotGit: string, root: string): GitFolders {
  const closed = [
    closedIn(dotGit, root),
    ...modulesOf(path.join(dotGit, 'modules')).map((module) => closedIn(module)),
  ];
  return {
    writable: [dotGit],
    readOnly: closed.flatMap(({ readOnly }) => readOnly),
    configs: closed.flatMap(({ configs }) => configs),
    links: [],
    shown: [root],
  };
}

/**
 * `.git` is a file that names the folder: a worktree or a submodule. Trusted only if that folder refers back
 * to it.
 */
function elsewhere(dotGit: string): GitFolders {
  const closed = { ...nothing, links: [dotGit] };
  const written = /^gitdir: (.*)$/m.exec(readText(dotGit))?.[1];
  if (written === undefined) return closed;
  const gitdir = realPath(path.resolve(path.dirname(dotGit), written));

  const back = readText(path.join(gitdir, 'gitdir')).trim();
  const common = path.resolve(gitdir, readText(path.join(gitdir, 'commondir')).trim() || '.');
  if (back !== '' && isInside(path.join(common, 'worktrees'), gitdir)) {
    if (realPath(path.resolve(gitdir, back)) !== realPath(dotGit)) return closed;
    const at = (...names: string[]) => names.map((name) => path.join(gitdir, name)).filter(existsSync);
    const { configs, ...rest } = ownFolder(common, path.dirname(dotGit));
    return {
      ...rest,
      configs: [...at('config.worktree'), ...configs],
      links: [dotGit, ...at('commondir', 'gitdir')],
    };
  }
  const worktree = /^\s*worktree\s*=\s*(.*)$/m.exec(readText(path.join(gitdir, 'config')))?.[1];
  if (worktree === undefined || path.resolve(gitdir, worktree) !== path.dirname(dotGit)) return closed;
  return { ...ownFolder(gitdir, path.dirname(dotGit)), links: [dotGit] };
}

/** Creates missing ones as empty files: what does not exist cannot be mounted read-only. */
function closedIn(gitdir: string, root?: string): Closed {
  const hooks = path.join(gitdir, 'hooks');
  const config = path.join(gitdir, 'config');
  try {
    makeFolder(hooks);
    writeFileSync(config, '', { flag: 'ax' });
  } catch (error) {
    if (!isErrno(error, ['EEXIST', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR'])) throw error;
  }
  const hooksPath = /^\s*hookspath\s*=\s*"?([^"\n]*?)"?\s*$/im.exec(readText(config))?.[1];
  const elsewhere = hooksPath && root !== undefined ? [path.resolve(root, hooksPath)] : [];
  return {
    readOnly: [hooks, ...elsewhere].filter(existsSync),
    configs: [config, path.join(gitdir, 'config.worktree')].filter(existsSync),
  };
}

/** Submodules have theirs below, in folders that may be nested. */
function modulesOf(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const at = path.join(folder, name);
      return existsSync(path.join(at, 'HEAD')) ? [at, ...modulesOf(path.join(at, 'modules'))] : modulesOf(at);
    });
}

function typeOf(file: string): 'file' | 'folder' | undefined {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isDirectory() ? 'folder' : stat?.isFile() ? 'file' : undefined;
}

function readText(file: string): string {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ENXIO'], '', () =>
    readRegularText(file),
  );
}
