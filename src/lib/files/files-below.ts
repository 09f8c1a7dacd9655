import { type Dirent, readdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from './errno.ts';

type WalkOptions = {
  /** Names of folders that are not entered. */
  skipped?: readonly string[];
};

/** The regular files in a folder and all below it. */
export function filesBelow(folder: string, options: WalkOptions = {}): string[] {
  return entriesBelow(folder, options)
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/**
 * Everything in a folder and below it, folders before what they contain. Links are not followed: `readdir` with `recursive`
 * and `withFileTypes` follows them since Node 22. Folders below that cannot be read count as empty.
 */
export function entriesBelow(folder: string, { skipped = [] }: WalkOptions = {}): Dirent[] {
  const found = readdirSync(folder, { withFileTypes: true });
  // The list grows while it is read.
  for (const entry of found) {
    if (!entry.isDirectory() || skipped.includes(entry.name)) continue;
    const inside = path.join(entry.parentPath, entry.name);
    for (const inner of unlessErrno('any', [], () => readdirSync(inside, { withFileTypes: true })))
      found.push(inner);
  }
  return found;
}
