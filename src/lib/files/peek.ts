import { readdirSync, statSync } from 'node:fs';
import { unlessErrno } from './errno.ts';
import { readRegularText } from './regular-file.ts';

/** `stamp` changes when the folder does. */
type FolderPeek = { stamp: string; files: string[]; folders: string[] };
/** `names`: how many lead to the file, with hard links. */
type FilePeek = { stamp: string; size: number; names: number };

/** Read-only access to a disk. Unreadable files count as missing. */
export type Peek = {
  /** Null if there is no such folder. Names are listed only if the stamp differs from the known one. */
  folder(path: string, knownStamp?: string): FolderPeek | null;
  /** Null if there is no regular file. Does not read it. */
  file(path: string): FilePeek | null;
  /** Whether it is a pipe, a socket or a device. */
  isSpecial(path: string): boolean;
  text(path: string): string;
};

export const peek: Peek = {
  folder(path, knownStamp) {
    const stats = unlessErrno('any', undefined, () => statSync(path, { throwIfNoEntry: false }));
    if (!stats?.isDirectory()) return null;
    const stamp = `${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}`;
    if (stamp === knownStamp) return { stamp, files: [], folders: [] };
    const entries = unlessErrno('any', [], () => readdirSync(path, { withFileTypes: true }));
    return {
      stamp,
      // A link may lead to a file; the reader finds out.
      files: entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name),
      folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    };
  },
  file(path) {
    const stats = unlessErrno('any', undefined, () => statSync(path, { throwIfNoEntry: false }));
    return stats?.isFile()
      ? {
          stamp: `${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}`,
          size: stats.size,
          names: stats.nlink,
        }
      : null;
  },
  isSpecial(path) {
    const stats = unlessErrno('any', undefined, () => statSync(path, { throwIfNoEntry: false }));
    return stats !== undefined && !stats.isFile() && !stats.isDirectory();
  },
  text: (path) => unlessErrno('any', '', () => readRegularText(path)),
};
