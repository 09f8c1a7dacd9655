import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../real-path.ts';
import type { Closed } from './find-secrets.ts';

/** Where a system keeps what only root may read, and how many levels down. */
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
 * What an ordinary user could not read, such as `/etc/shadow`: in the sandbox root's files still belong to root, so
 * these are hidden where the assistant runs as root. Looked for once.
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
      if ((stat.mode & 0o5) !== 0o5) return [{ path: file, type: 'folder' }];
      return levels > 1 ? closedIn(file, levels - 1) : [];
    }
    return stat?.isFile() && (stat.mode & 0o4) === 0 ? [{ path: file, type: 'file' }] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])) return [];
    throw error;
  }
}
