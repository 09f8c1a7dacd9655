import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { lockFile } from '../../lib/files/lock.ts';
import { changesOf } from './changes.ts';
import type { Variables } from './hardened-git.ts';
import { removeFolder } from './remove-folder.ts';
import { openWorktree, placesIn, readDescription, type Worktree } from './worktree.ts';

/** With everything in it. */
export function removeWorktree({ at, lock }: Pick<Worktree, 'at' | 'lock'>): void {
  removeFolder(at);
  lock.release();
}

/** The same, and the folder around it if that is empty then. */
export function removeWithFolder(worktree: Pick<Worktree, 'at' | 'lock'>): void {
  removeWorktree(worktree);
  unlessErrno('any', null, () => rmdirSync(path.dirname(worktree.at)));
}

/** Worktrees in a folder that killed processes left behind; null in `changes` if those cannot be found out. */
export type Leftovers = { removed: string[]; kept: { at: string; folder: string }[] };

/**
 * Removes the worktrees in a folder whose owners have ended and that hold no changes. Whatever holds some
 * stays, and is listed.
 */
export async function removeLeftovers(folder: string, env: Variables): Promise<Leftovers> {
  const removed: string[] = [];
  const kept: Leftovers['kept'] = [];
  for (const name of unlessErrno('any', [], () => readdirSync(folder))) {
    const at = path.join(folder, name);
    if (!readDescription(at)) continue;
    const lock = await lockFile(placesIn(at).owner);
    if (!lock) continue;
    try {
      if (await isUnneeded(at, env, lock)) {
        removeFolder(at);
        removed.push(at);
      } else kept.push({ at, folder: placesIn(at).tree });
    } finally {
      if (existsSync(at)) lock.release();
    }
  }
  return { removed, kept };
}

async function isUnneeded(at: string, env: Variables, lock: Worktree['lock']): Promise<boolean> {
  // Another process may have removed it meanwhile.
  const description = readDescription(at);
  if (!description) return false;
  // Nothing ran in it before it was complete.
  if (description.base === null) return true;
  const worktree = openWorktree(at, { env, lock });
  if (!worktree || !existsSync(worktree.folder)) return true;
  const changes = await changesOf(worktree).catch(() => null);
  return changes !== null && changes.files.length === 0 && changes.leftOut.length === 0;
}
