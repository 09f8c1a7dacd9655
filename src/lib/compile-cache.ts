import { rmSync, statSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { unlessErrno } from './files/errno.ts';
import { filesBelow } from './files/files-below.ts';
import { isPrivateFolder, makePrivateFolder } from './files/private-folder.ts';

/** Available in Node 22.1 and later. */
type Caching = { enableCompileCache?(folder: string): unknown };

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Makes Node cache this program's compiled code in the data root, if that exists. Cached code is executed, so
 * the folder must be writable only by this user. Node itself honours `NODE_COMPILE_CACHE`, another folder,
 * and `NODE_DISABLE_COMPILE_CACHE`.
 */
export function enableCompileCache(root: string): void {
  const { enableCompileCache: enable } = module as Caching;
  if (!enable || !isPrivateFolder(root)) return;
  const folder = folderIn(root);
  try {
    makePrivateFolder(folder);
  } catch {
    // The program must start even without a cache.
    return;
  }
  if (isPrivateFolder(folder)) enable(folder);
}

/**
 * Removes compiled code after a month, whatever version of the program or of Node it is for: Node never does.
 */
export function pruneCompileCache(root: string, now: number): void {
  for (const file of unlessErrno('any', [], () => filesBelow(folderIn(root))))
    if (now - statSync(file).mtimeMs > KEPT_MS) rmSync(file, { force: true });
}

function folderIn(root: string): string {
  return path.join(root, 'cache', 'code');
}
