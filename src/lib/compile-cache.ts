import { readdirSync, rmSync, statSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { isPrivateFolder, makePrivateFolder } from './files/private-folder.ts';

/** Node 22.1 and later have it. */
type Caching = { enableCompileCache?(folder: string): unknown };

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Makes Node keep the compiled code of this program in the data root, if there is one yet. What is kept is run, so it
 * is a folder that only this user can write to, or none. Node itself follows `NODE_COMPILE_CACHE`, another folder, and
 * `NODE_DISABLE_COMPILE_CACHE`.
 */
export function enableCompileCache(root: string): void {
  const { enableCompileCache: enable } = module as Caching;
  if (!enable || !isPrivateFolder(root)) return;
  const folder = folderIn(root);
  try {
    makePrivateFolder(folder);
  } catch {
    // A cache that cannot be kept is no reason not to start.
    return;
  }
  if (isPrivateFolder(folder)) enable(folder);
}

/** Removes compiled code after a month, whatever version of the program or of Node it is for: Node never does. */
export function pruneCompileCache(root: string, now: number): void {
  for (const entry of entriesIn(folderIn(root))) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && now - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
  }
}

function folderIn(root: string): string {
  return path.join(root, 'cache', 'code');
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
}
