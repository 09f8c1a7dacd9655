import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { readJsonLines } from '../../lib/files/json-lines.ts';
import { statIfAny } from './file-state.ts';
import { bumpGeneration, Objects, type Place, packsIn, placesInPack } from './objects.ts';
import { type LoggedRun, readHistory, type UndoHistory } from './undo-log.ts';

/** A pack without writes for this long is not in use. */
const QUIET_MS = 60 * 60 * 1000;
const DAY_MS = 24 * QUIET_MS;
/** A pack with a smaller needed share is rewritten without the rest. */
const WORTH_KEEPING = 0.5;
/** The same where space is short, and the share of the quota to fill: together they stay below the quota. */
const WORTH_KEEPING_OVER_QUOTA = 0.8;
const LEFT_OVER_QUOTA = 0.75;

/** With more packs than this, small ones are merged: each slows down reading the index. */
const MANY_PACKS = 100;
const SMALL_BYTES = 1024 * 1024;

export type PruneOptions = {
  /** Size limit of the folder; above it the oldest runs can no longer be undone. */
  quotaBytes?: number;
  /** Packs that are certainly not in use, however recent. */
  closed?: ReadonlySet<string>;
  now?: number;
};

export type Pruned = {
  freedBytes: number;
  /** Runs that can no longer be undone because they exceed the quota. */
  forgottenRuns: number;
  /** The packs that needed contents were moved to. */
  written: ReadonlySet<string>;
};

type Pack = { name: string; size: number; isQuiet: boolean; places: [string, Place][] };

/**
 * Removes contents needed neither by a log nor by the index of a working directory, which holds the state
 * before the running or next command. Reads every index and every log once, and moves every content at most
 * once.
 */
export async function pruneUndo(folder: string, options: PruneOptions = {}): Promise<Pruned> {
  const objects = path.join(folder, 'objects');
  const logs = stampOf(folder);
  const packs = packsAt(objects, options);
  const sizes = new Map(
    packs.flatMap(({ places }) => places.map(([hash, { length }]) => [hash, length] as const)),
  );
  const { needed, forgottenRuns, isShort } = neededOf(folder, sizes, {
    quotaBytes: options.quotaBytes ?? Infinity,
    bytes: sizeOfUndo(folder),
  });
  const worth = isShort ? WORTH_KEEPING_OVER_QUOTA : WORTH_KEEPING;
  const from = new Objects(objects, { places: new Map(packs.flatMap(({ places }) => places)) });
  const to = new Objects(objects, { fresh: true });
  let freedBytes = 0;
  for (const { name, size, isQuiet, places } of packs) {
    const live = places.filter(([hash]) => needed.has(hash));
    const liveBytes = live.reduce((sum, [, { length }]) => sum + length, 0);
    const isScattered = packs.length > MANY_PACKS && size < SMALL_BYTES;
    if (!isQuiet || (liveBytes > size * worth && !isScattered)) continue;
    await pause();
    for (const [hash] of live) {
      const bytes = from.get(hash);
      if (bytes) to.put(bytes);
    }
    to.flush({ durable: true });
    // Another process has recorded a new need meanwhile: leave it for the next time.
    if (stampOf(folder) !== logs) break;
    for (const kind of ['index', 'pack']) rmSync(path.join(objects, `${name}.${kind}`), { force: true });
    freedBytes += size - liveBytes;
  }
  to.close();
  if (freedBytes > 0) bumpGeneration(objects);
  return { freedBytes, forgottenRuns, written: to.own };
}

function packsAt(objects: string, { closed, now = Date.now() }: PruneOptions): Pack[] {
  return packsIn(objects).flatMap((name) => {
    const stats = ['pack', 'index'].map((kind) => statIfAny(path.join(objects, `${name}.${kind}`)));
    if (stats.includes(null)) return [];
    const size = stats.reduce((sum, stat) => sum + (stat?.size ?? 0), 0);
    const isQuiet = closed?.has(name) || stats.every((stat) => now - (stat?.mtimeMs ?? now) >= QUIET_MS);
    return [{ name, size, isQuiet, places: placesInPack(objects, name) }];
  });
}

type Needed = { needed: Set<string>; forgottenRuns: number; isShort: boolean };

/**
 * The state of the working directories first, then run by run from the newest, until the quota is reached.
 */
function neededOf(
  folder: string,
  sizes: ReadonlyMap<string, number>,
  { quotaBytes, bytes }: { quotaBytes: number; bytes: number },
): Needed {
  const isShort = bytes > quotaBytes;
  const room = isShort ? quotaBytes * LEFT_OVER_QUOTA : Infinity;
  // The index of a working directory refers to these contents: they stay, whatever their size.
  const needed = stateNow(folder);
  let used = [...needed].reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0);
  const need = (hashes: readonly string[]) => {
    const more = hashes.filter((hash) => !needed.has(hash));
    const size = more.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0);
    if (used + size > room) return false;
    used += size;
    for (const hash of more) needed.add(hash);
    return true;
  };
  const histories = logsIn(folder).map((name) => readHistory(path.join(folder, name)));
  const runs = histories.flatMap(runsOf).sort((a, b) => (a.at < b.at ? 1 : -1));
  const kept = runs.findIndex(({ hashes }) => !need(hashes));
  const forgottenRuns = kept < 0 ? 0 : runs.length - kept;
  return { needed, forgottenRuns, isShort };
}

/** A run with the contents needed to undo, redo and review it. */
function runsOf({ runs, undone, accepted, start }: UndoHistory): { at: string; hashes: string[] }[] {
  const redo = undone.map((one) => ({ at: atOf(runs, one.runs), hashes: hashesOf(one.changes) }));
  const reviewed = [...accepted.values()].map(({ at, change }) => ({ at, hashes: hashesOf([change]) }));
  const atStart = (start ?? []).flatMap(({ state: { hash } }) => (hash ? [hash] : []));
  return [
    ...(start ? [{ at: runs[0]?.at ?? '', hashes: atStart }] : []),
    ...runs.map(({ at, changes, git }) => ({ at, hashes: [...hashesOf(changes), ...savedOf(git)] })),
    ...redo,
    ...reviewed,
  ];
}

function atOf(runs: readonly LoggedRun[], indexes: readonly number[]): string {
  return runs[Math.max(...indexes)]?.at ?? '';
}

function hashesOf(changes: LoggedRun['changes']): string[] {
  return changes.flatMap(
    ({ before, after }) => [before?.hash, after?.hash].filter((hash) => !!hash) as string[],
  );
}

function savedOf(git: LoggedRun['git']): string[] {
  return typeof git === 'object' ? [git.index, git.refs].filter((hash) => !!hash).map(String) : [];
}

function stateNow(folder: string): Set<string> {
  const trees = path.join(folder, 'trees');
  const state = new Map<string, string>();
  for (const name of namesIn(trees).filter((one) => one.endsWith('.jsonl'))) {
    for (const line of readJsonLines(path.join(trees, name))) {
      const { path: file, entry } = line as { path?: string; entry?: { hash?: string | null } };
      if (file === undefined) continue;
      if (entry?.hash) state.set(file, entry.hash);
      else state.delete(file);
    }
  }
  return new Set(state.values());
}

/** Changes when a log or the index of a working directory does. */
function stampOf(folder: string): string {
  return JSON.stringify(
    [folder, path.join(folder, 'trees')].flatMap((place) =>
      namesIn(place).map((name) => {
        const stat = statIfAny(path.join(place, name));
        return stat?.isFile() ? [name, stat.size, stat.mtimeMs] : [];
      }),
    ),
  );
}

/**
 * The same for every project; data of a project without sessions is removed entirely when unused for `days`.
 */
export async function pruneAllUndo(
  folders: readonly string[],
  { days, now = Date.now(), ...options }: PruneOptions & { days: number },
): Promise<Pick<Pruned, 'freedBytes' | 'forgottenRuns'>> {
  const total = { freedBytes: 0, forgottenRuns: 0 };
  for (const folder of folders) {
    removeStaleBarriers(path.join(folder, 'trees'), now);
    if (logsIn(folder).length === 0 && now - lastLook(folder) > days * DAY_MS) {
      total.freedBytes += sizeOfUndo(folder);
      for (const part of ['trees', 'objects'])
        rmSync(path.join(folder, part), { recursive: true, force: true });
      if (namesIn(folder).length === 0) rmSync(folder, { recursive: true, force: true });
      continue;
    }
    const { freedBytes, forgottenRuns } = await pruneUndo(folder, { ...options, now });
    total.freedBytes += freedBytes;
    total.forgottenRuns += forgottenRuns;
  }
  return total;
}

function lastLook(folder: string): number {
  const trees = path.join(folder, 'trees');
  return Math.max(0, ...namesIn(trees).map((name) => statIfAny(path.join(trees, name))?.mtimeMs ?? 0));
}

/** What the watcher leaves behind when its process is killed. */
function removeStaleBarriers(trees: string, now: number): void {
  for (const name of namesIn(trees).filter((one) => one.includes('-watch-'))) {
    const place = path.join(trees, name);
    if (now - (statIfAny(place)?.mtimeMs ?? now) > DAY_MS) rmSync(place, { recursive: true, force: true });
  }
}

/** The size of a folder with logs, indexes and packs. */
export function sizeOfUndo(folder: string): number {
  return [folder, path.join(folder, 'trees'), path.join(folder, 'objects')]
    .flatMap((place) => namesIn(place).map((name) => statIfAny(path.join(place, name))))
    .reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0);
}

function logsIn(folder: string): string[] {
  return namesIn(folder).filter(
    (name) => name.endsWith('.jsonl') && statSync(path.join(folder, name)).isFile(),
  );
}

function namesIn(folder: string): string[] {
  return statIfAny(folder) ? readdirSync(folder) : [];
}

/** Tells the user that the limit was reached. */
export function forgottenText(runs: number): string {
  const count = runs === 1 ? 'the oldest run' : `the ${runs} oldest runs`;
  return `Undo storage is over its limit (undoLimitMb): ${count} in this folder can no longer be undone.`;
}
