import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { tryLock } from '../../lib/files/lock.ts';
import { renameWithRetry } from '../../lib/files/rename-with-retry.ts';
import { changesOf } from './changes.ts';
import type { Variables } from './hardened-git.ts';
import { removeFolder } from './remove-folder.ts';
import { lockWorktree, openWorktree, placesIn, readDescription, type Worktree } from './worktree.ts';

/**
 * With everything in it. First it moves out of the way: its lock goes with its files, and another process could
 * take a half-removed folder for its own. If this process is killed half-way, the next one removes the rest.
 */
export async function removeWorktree({ at, lock }: Pick<Worktree, 'at' | 'lock'>): Promise<void> {
  const rest = restOf(at);
  // Of an earlier worktree in the same place.
  await removeFolder(rest);
  // A process that was suspended may have lost it to another one.
  if (lock.isHeld()) await renameWithRetry(at, rest);
  lock.release();
  await removeFolder(rest);
}

const REST = '.aca-removed-';

/** Where a worktree is while it is being removed. Nobody takes that for a worktree. */
export function restOf(at: string): string {
  return path.join(path.dirname(at), `${REST}${path.basename(at)}`);
}

/** Removes what killed processes have not removed of the worktrees in a folder, as far as that is possible now. */
export async function removeRests(folder: string): Promise<void> {
  for (const name of namesIn(folder).filter((one) => one.startsWith(REST)))
    await removeFolder(path.join(folder, name)).catch(() => undefined);
}

function namesIn(folder: string): string[] {
  return unlessErrno('any', [], () => readdirSync(folder));
}

/** The same, and the folder around it if that is empty then. */
export async function removeWithFolder(worktree: Pick<Worktree, 'at' | 'lock'>): Promise<void> {
  await removeWorktree(worktree);
  unlessErrno('any', null, () => rmdirSync(path.dirname(worktree.at)));
}

/** Unless a process is working in it. */
export async function removeUnused(at: string): Promise<void> {
  const lock = tryLock(placesIn(at).owner, { inExisting: true });
  if (lock) await removeWorktree({ at, lock }).catch(() => lock.release());
  else await removeFolder(restOf(at)).catch(() => undefined);
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
  await removeRests(folder);
  for (const name of namesIn(folder)) {
    const at = path.join(folder, name);
    if (!readDescription(at)) continue;
    const lock = await lockWorktree(at);
    if (!lock) continue;
    try {
      if (await isUnneeded(at, env, lock)) {
        await removeWorktree({ at, lock });
        removed.push(at);
      } else kept.push({ at, folder: placesIn(at).tree });
    } finally {
      lock.release();
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
