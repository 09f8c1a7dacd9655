import { lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import type { Closed } from './find-secrets.ts';

/** Where a system has files that only root may read, and how many levels down. */
const places: readonly [folder: string, levels: number][] = [
  ['/etc', 2],
  ['/var/backups', 1],
  ['/var/cache', 1],
  ['/var/lib', 1],
  ['/var/log', 1],
  ['/var/spool', 1],
];

let found: Closed[] | undefined;

/**
 * Files that an ordinary user could not read, such as `/etc/shadow`: in the sandbox root still owns them, so
 * they are hidden if the assistant runs as root. Searched once.
 */
export function rootOnlyFiles(): readonly Closed[] {
  if (process.geteuid?.() !== 0) return [];
  found ??= places.flatMap(([folder, levels]) => closedIn(folder, levels));
  return found;
}

function closedIn(folder: string, levels: number): Closed[] {
  return namesIn(folder).flatMap((name): Closed[] => {
    const file = path.join(folder, name);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      if ((stat.mode & 0o5) !== 0o5) return isRoots(stat) ? [{ path: file, type: 'folder' }] : [];
      return levels > 1 ? closedIn(file, levels - 1) : [];
    }
    const isClosed = stat?.isFile() && stat.size > 0 && (stat.mode & 0o4) === 0 && isRoots(stat);
    return isClosed ? [{ path: file, type: 'file' }] : [];
  });
}

/** Without capabilities, files of other users are closed to root as well. */
function isRoots({ uid, gid, mode }: Stats): boolean {
  return uid === 0 || (gid === 0 && (mode & 0o40) !== 0);
}

function namesIn(folder: string): string[] {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'], [], () => readdirSync(folder));
}
