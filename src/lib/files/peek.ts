import { readdirSync, statSync } from 'node:fs';
import { readRegularText } from './regular-file.ts';

/** `stamp` changes when what stands at the path does. */
type FolderPeek = { stamp: string; files: string[]; folders: string[] };
type FilePeek = { stamp: string; size: number };

/** What looks at a disk and changes nothing. What cannot be read is as good as not there. */
export type Peek = {
  /** Null when there is no such folder. Names are given only if the stamp is not the one already known. */
  folder(path: string, knownStamp?: string): FolderPeek | null;
  /** Null when there is no regular file. Does not read it. */
  file(path: string): FilePeek | null;
  /** Whether a pipe, a socket or a device stands there. */
  isSpecial(path: string): boolean;
  text(path: string): string;
};

export const peek: Peek = {
  folder(path, knownStamp) {
    const stats = orElse(() => statSync(path, { throwIfNoEntry: false }), undefined);
    if (!stats?.isDirectory()) return null;
    const stamp = `${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}`;
    if (stamp === knownStamp) return { stamp, files: [], folders: [] };
    const entries = orElse(() => readdirSync(path, { withFileTypes: true }), []);
    return {
      stamp,
      // A link may lead to a file; whoever reads it sees.
      files: entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name),
      folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    };
  },
  file(path) {
    const stats = orElse(() => statSync(path, { throwIfNoEntry: false }), undefined);
    return stats?.isFile()
      ? { stamp: `${stats.ino}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}`, size: stats.size }
      : null;
  },
  isSpecial(path) {
    const stats = orElse(() => statSync(path, { throwIfNoEntry: false }), undefined);
    return stats !== undefined && !stats.isFile() && !stats.isDirectory();
  },
  text: (path) => orElse(() => readRegularText(path), ''),
};

function orElse<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return otherwise;
  }
}
