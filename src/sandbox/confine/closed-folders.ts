import path from 'node:path';
import type { Closed } from './find-secrets.ts';

/** Each is closed by a mount, and the time that mounts take grows with the square of their number. */
const MOST_CLOSED = 300;

/**
 * The same files and folders, or folders below the roots in place of the files in them if there are too many: those
 * with the most files first. `folders` are those folders.
 */
export function closedFolders(
  closed: readonly Closed[],
  { roots, most = MOST_CLOSED }: { roots: readonly string[]; most?: number },
): { closed: Closed[]; folders: string[] } {
  const left = new Map(closed.map((one) => [one.path, one]));
  const folders = new Set<string>();
  while (left.size > most) {
    const inFolders = byFolder([...left.keys()], roots);
    const [fullest] = inFolders;
    if (!fullest) break;
    for (const { folder, files } of inFolders) {
      // Where each has one file, all move up a level.
      if (left.size <= most && fullest.files.length > 1) break;
      for (const file of files) {
        left.delete(file);
        folders.delete(file);
      }
      left.set(folder, { path: folder, type: 'folder' });
      folders.add(folder);
    }
    for (const file of [...left.keys()])
      if (foldersAbove(file).some((folder) => folders.has(folder))) {
        left.delete(file);
        folders.delete(file);
      }
  }
  return { closed: [...left.values()], folders: [...folders].sort() };
}

/** Files by the folder below a root that they are in, the fullest and deepest folders first. */
function byFolder(
  files: readonly string[],
  roots: readonly string[],
): readonly { folder: string; files: string[] }[] {
  const found = new Map<string, string[]>();
  for (const file of files) {
    const [folder = '/', ...above] = foldersAbove(file);
    if (!above.some((one) => roots.includes(one))) continue;
    const others = found.get(folder);
    if (others) others.push(file);
    else found.set(folder, [file]);
  }
  return [...found]
    .map(([folder, inside]) => ({ folder, files: inside }))
    .sort((a, b) => b.files.length - a.files.length || b.folder.length - a.folder.length);
}

/** From the innermost to the outermost. */
function foldersAbove(file: string): string[] {
  const folders: string[] = [];
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    folders.push(at);
    if (at === path.dirname(at)) return folders;
  }
}
