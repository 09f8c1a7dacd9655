import { lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';

export type AliasOptions = {
  roots: readonly string[];
  home: string;
  closedBecause(file: string): string | null;
};

export type PathAliases = { closedBecause(stat: Stats): string | null };

/** Where secrets are in a home folder; scanning all of it would take too long. */
const HOME_PLACES = [
  '',
  '.ssh',
  '.aws',
  '.gnupg',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/op',
  '.config/rclone',
  '.config/sops/age',
  '.local/share/keyrings',
  '.oci',
  '.m2',
  '.gradle',
  '.cargo',
  '.composer',
  '.config/composer',
];
/** Large, and full of hard links by design. */
const PASSED_OVER = new Set(['node_modules', 'objects']);
const MAX_AGE_MS = 60_000;
/** File systems and the kernel have coarse timestamps. */
const STEP_MS = 50;

/**
 * Identifies a secret file by its inode rather than its name, so that a hard link to it gives no access.
 * Scans the usual locations, near the top of the opened folders and in the home folder; and only when asked
 * about a file with more than one name, which is rare.
 */
export function createAliases(options: AliasOptions): PathAliases {
  let found = new Map<string, string>();
  let checkedAt = Number.NEGATIVE_INFINITY;

  return {
    closedBecause(stat) {
      if (stat.nlink < 2 || !stat.isFile()) return null;
      const now = Date.now();
      // A new name changes the file's ctime: a file unchanged since the last scan has no new names.
      const isCurrent = now - checkedAt < MAX_AGE_MS && stat.ctimeMs < checkedAt - STEP_MS;
      if (!isCurrent) {
        found = closedFiles(options);
        checkedAt = now;
      }
      const because = found.get(keyOf(stat));
      return because === undefined ? null : `it is another name of a protected file: ${because}`;
    },
  };
}

function closedFiles({ roots, home, closedBecause }: AliasOptions): Map<string, string> {
  const found = new Map<string, string>();
  const take = (file: string): void => {
    const because = closedBecause(file);
    const stat = because === null ? null : statOrNull(file);
    if (because !== null && stat && stat.nlink > 1) found.set(keyOf(stat), because);
  };

  const folders = [...roots];
  // The list grows while it is read.
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      const file = path.join(folder, entry.name);
      if (entry.isFile()) take(file);
      else if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) folders.push(file);
    }
  }
  for (const place of HOME_PLACES) {
    const folder = path.join(home, place);
    for (const entry of entriesOf(folder)) if (entry.isFile()) take(path.join(folder, entry.name));
  }
  return found;
}

function entriesOf(folder: string) {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'], [], () =>
    readdirSync(folder, { withFileTypes: true }),
  );
}

function statOrNull(file: string): Stats | null {
  return unlessErrno(
    ['ENOTDIR', 'EACCES', 'EPERM'],
    null,
    () => lstatSync(file, { throwIfNoEntry: false }) ?? null,
  );
}

function keyOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}
