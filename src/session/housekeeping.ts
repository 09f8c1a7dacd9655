import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { SessionSummary } from '../contract/session.ts';
import { compareText } from '../lib/compare.ts';
import type { SessionStore } from './store.ts';
import { pruneUndo } from './undo/prune.ts';
import { statIfAny } from './undo/standing.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Fetched on purpose, or made again at need: no session goes for the sake of these. */
const NOT_COUNTED = ['models', 'runtime', 'cache'];

export type HousekeepingOptions = {
  /** The data root. */
  root: string;
  store: SessionStore;
  /** Sessions unused for longer go; pinned ones stay. */
  days: number;
  /** What the data root may take up; past it the oldest sessions go first. */
  limitBytes: number;
  now?: number;
};

export type Removal = { session: SessionSummary; because: string };

/** What lies in the data root, part by part, the largest first. */
export type SpaceUse = { part: string; bytes: number }[];

/** What would go, and why. Touches nothing. */
export function planHousekeeping(options: HousekeepingOptions): Removal[] {
  const { root, store, days, limitBytes, now = Date.now() } = options;
  const sessions = store.list().filter(({ pinned }) => !pinned);
  const old = sessions.filter(({ updatedAt }) => now - Date.parse(updatedAt) > days * DAY_MS);
  const removals = old.map((session) => ({ session, because: `unused for more than ${days} days` }));
  const counted = spaceUse(root).filter(({ part }) => !NOT_COUNTED.includes(part));
  let over = totalOf(counted) - limitBytes - old.reduce((sum, { id }) => sum + bytesOf(root, id), 0);
  const young = sessions.filter((session) => !old.includes(session));
  for (const session of young.sort((a, b) => compareText(a.updatedAt, b.updatedAt))) {
    if (over <= 0) break;
    removals.push({ session, because: 'the data root is over its limit' });
    over -= bytesOf(root, session.id);
  }
  return removals;
}

/** Removes what was planned, with all that belongs to it. A session that is open somewhere stays. */
export async function keepHouse(
  removals: readonly Removal[],
  { root, store }: Pick<HousekeepingOptions, 'root' | 'store'>,
): Promise<{ removed: Removal[]; freedBytes: number }> {
  const before = totalOf(spaceUse(root));
  const removed: Removal[] = [];
  for (const removal of removals) {
    const { id } = removal.session;
    try {
      await store.delete(id);
    } catch (error) {
      // It is open in another process: its turn comes another day.
      if (error instanceof UserError) continue;
      throw error;
    }
    forgetTraces(root, id);
    removed.push(removal);
  }
  pruneUndo(path.join(root, 'undo'));
  return { removed, freedBytes: before - totalOf(spaceUse(root)) };
}

export function spaceUse(root: string): SpaceUse {
  return namesIn(root)
    .map((part) => ({ part, bytes: sizeOf(path.join(root, part)) }))
    .sort((a, b) => b.bytes - a.bytes);
}

function totalOf(use: SpaceUse): number {
  return use.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Removes what a session that is gone has left outside its own folder. */
export function forgetTraces(root: string, id: string): void {
  for (const place of placesOf(root, id)) rmSync(place, { recursive: true, force: true });
}

/** What a session has outside its own folder. */
function placesOf(root: string, id: string): string[] {
  return [path.join(root, 'undo', `${id}.jsonl`), path.join(root, 'outputs', id)];
}

function bytesOf(root: string, id: string): number {
  const own = ['jsonl', 'json', 'subagents'].map((kind) => path.join(root, 'sessions', `${id}.${kind}`));
  return [...own, ...placesOf(root, id)].reduce((sum, place) => sum + sizeOf(place), 0);
}

function sizeOf(place: string): number {
  const stat = statIfAny(place);
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  return namesIn(place).reduce((sum, name) => sum + sizeOf(path.join(place, name)), 0);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES') return [];
    throw error;
  }
}
