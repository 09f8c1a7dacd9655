import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { SessionSummary } from '../contract/session.ts';
import { unlessErrno } from '../lib/files/errno.ts';
import { removeAbandoned } from '../lib/files/lock.ts';
import { compareText } from '../lib/text/compare.ts';
import type { SessionStore } from './store.ts';
import { statIfAny } from './undo/file-state.ts';
import { pruneAllUndo } from './undo/prune.ts';
import { undoFolders, undoLogs } from './undo/undo-place.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export type HousekeepingOptions = {
  /** The data root. */
  root: string;
  store: SessionStore;
  /** Sessions unused for longer are removed, except pinned ones. */
  days: number;
  /** Size limit for all sessions; above it the oldest are removed first. */
  limitBytes: number;
  /** Size limit for undo data, per project. */
  undoLimitBytes: number;
  now?: number;
};

export type Removal = { session: SessionSummary; because: string };

/** Disk usage of the data root by part, largest first. */
export type SpaceUse = { part: string; bytes: number }[];

/**
 * The planned removals and why. Changes nothing. A session is removed for its age or its own size: removing
 * it does not shrink anything else in the data root.
 */
export function planHousekeeping(options: HousekeepingOptions): Removal[] {
  const { root, store, days, limitBytes, now = Date.now() } = options;
  const sessions = store.list().map((session) => ({ session, bytes: bytesOf(root, session.id) }));
  const unpinned = sessions.filter(({ session }) => !session.pinned);
  const old = unpinned.filter(({ session }) => now - Date.parse(session.updatedAt) > days * DAY_MS);
  const removals = old.map(({ session }) => ({ session, because: `unused for more than ${days} days` }));
  let over = sumOf(sessions) - sumOf(old) - limitBytes;
  const young = unpinned.filter((one) => !old.includes(one));
  for (const { session, bytes } of young.sort((a, b) =>
    compareText(a.session.updatedAt, b.session.updatedAt),
  )) {
    if (over <= 0) break;
    removals.push({ session, because: 'session storage limit reached' });
    over -= bytes;
  }
  return removals;
}

function sumOf(sessions: readonly { bytes: number }[]): number {
  return sessions.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes what was planned, with all related files. A session that is open elsewhere stays. */
export async function pruneSessions(
  removals: readonly Removal[],
  options: HousekeepingOptions,
): Promise<{ removed: Removal[]; freedBytes: number }> {
  const { root, store } = options;
  const before = totalOf(spaceUse(root));
  const removed: Removal[] = [];
  for (const removal of removals) {
    const { id } = removal.session;
    try {
      await store.delete(id);
    } catch (error) {
      // It is open in another process: try again another day.
      if (error instanceof UserError) continue;
      throw error;
    }
    forgetTraces(root, id);
    removed.push(removal);
  }
  await tidy(options);
  return { removed, freedBytes: before - totalOf(spaceUse(root)) };
}

/**
 * Removes unneeded undo contents, the oldest ones of a project above its limit, and locks of killed
 * processes.
 */
export async function tidy({ root, days, undoLimitBytes, now }: HousekeepingOptions): Promise<void> {
  for (const folder of [root, ...namesIn(root).map((name) => path.join(root, name))])
    if (statIfAny(folder)?.isDirectory()) removeAbandoned(folder);
  await pruneAllUndo(undoFolders(root), {
    quotaBytes: undoLimitBytes,
    days,
    ...(now !== undefined && { now }),
  });
}

export function spaceUse(root: string): SpaceUse {
  return namesIn(root)
    .map((part) => ({ part, bytes: sizeOf(path.join(root, part)) }))
    .sort((a, b) => b.bytes - a.bytes);
}

function totalOf(use: SpaceUse): number {
  return use.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes what a deleted session left outside its folder. */
export function forgetTraces(root: string, id: string): void {
  for (const place of placesOf(root, id)) rmSync(place, { recursive: true, force: true });
}

/** Files of a session outside its folder. */
function placesOf(root: string, id: string): string[] {
  return [...undoLogs(root, id), path.join(root, 'outputs', id)];
}

/** Undo data has a separate limit. */
function bytesOf(root: string, id: string): number {
  const own = ['jsonl', 'json', 'subagents'].map((kind) => path.join(root, 'sessions', `${id}.${kind}`));
  return [...own, path.join(root, 'outputs', id)].reduce((sum, place) => sum + sizeOf(place), 0);
}

function sizeOf(place: string): number {
  const stat = statIfAny(place);
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  return namesIn(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), 0);
}

function namesIn(folder: string): string[] {
  return unlessErrno(['ENOENT', 'EACCES'], [], () => readdirSync(folder));
}
