import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../lib/files/errno.ts';
import { readRegularText } from '../lib/files/regular-file.ts';

const MISSING = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP'];

/** The name of a project's folder in memory: the same however the project's path is written. */
export function projectKey(folder: string): string {
  return createHash('sha1').update(normalizeProject(folder)).digest('hex').slice(0, 12);
}

/** The canonical path of a folder. All worktrees of a repository are one project. */
export function normalizeProject(folder: string): string {
  const real = realOf(folder);
  const place = mainWorktree(real).normalize('NFC');
  return ignoresCase(place) ? place.toLowerCase() : place;
}

function realOf(folder: string): string {
  const absolute = path.resolve(folder);
  return unlessErrno(MISSING, absolute, () => realpathSync.native(absolute));
}

/** Tests the disk: a system may have disks of both kinds. */
function ignoresCase(folder: string): boolean {
  const other = folder.toUpperCase() === folder ? folder.toLowerCase() : folder.toUpperCase();
  if (other === folder) return false;
  const here = statIfAny(folder);
  const there = statIfAny(other);
  return here !== null && there !== null && here.ino === there.ino && here.dev === there.dev;
}

/** The same location in the repository's main worktree, if `folder` is in another one. */
function mainWorktree(folder: string): string {
  for (let at = folder; ; at = path.dirname(at)) {
    const dotGit = path.join(at, '.git');
    const stat = statIfAny(dotGit);
    if (stat?.isFile()) {
      const main = mainOf(dotGit);
      return main === null ? folder : path.join(main, path.relative(at, folder));
    }
    if (stat || path.dirname(at) === at) return folder;
  }
}

/**
 * Trusted only if the folder that `.git` names refers back to it: a file in a foreign project must not lead
 * to another project's memory.
 */
function mainOf(dotGit: string): string | null {
  const written = /^gitdir: (.+)$/m.exec(textIfAny(dotGit))?.[1];
  if (written === undefined) return null;
  const own = path.resolve(path.dirname(dotGit), written.trim());
  const back = textIfAny(path.join(own, 'gitdir')).trim();
  const common = textIfAny(path.join(own, 'commondir')).trim();
  if (back === '' || common === '' || realOf(path.resolve(own, back)) !== realOf(dotGit)) return null;
  const shared = realOf(path.resolve(own, common));
  return path.basename(shared) === '.git' ? path.dirname(shared) : null;
}

function textIfAny(file: string): string {
  return unlessErrno(MISSING, '', () => readRegularText(file));
}

function statIfAny(file: string) {
  return unlessErrno(MISSING, null, () => statSync(file, { throwIfNoEntry: false }) ?? null);
}
