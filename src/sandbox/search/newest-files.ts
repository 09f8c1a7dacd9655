import { lstatSync } from 'node:fs';
import { unlessErrno } from '../../lib/files/errno.ts';

/** The hits in one file, or the file alone. */
export type Found<Hit> = { file: string; changed: number; hits: Hit[] };

export type NewestFiles<Hit> = {
  /** Adds a file; hits beyond the limit need not be added to it. Null if it is too old to be shown. */
  open(file: string): Found<Hit> | null;
  /** Most recently changed first, at most as many as the limit could show. */
  kept(): Found<Hit>[];
};

/** Above this number, entries that can no longer be shown are dropped. */
const PRUNE_AT = 4_000;
/** On a slow disk the ages are not worth a longer wait: files checked later count as old. */
const DATING_MS = 2_000;
/** Read the clock once per this many files: it costs a good part of what it measures. */
const SAMPLE = 16;

/**
 * Keeps the newest of any number of files, in any order of arrival, so that memory does not grow with the
 * results. Ages are read during the search, with one system call each: in a thread pool the same calls take
 * ten times as long.
 */
export function newestFiles<Hit>(limit: number): NewestFiles<Hit> {
  const capacity = Math.max(PRUNE_AT, limit * 2);
  let found: Found<Hit>[] = [];
  let last: Found<Hit> | undefined;
  let room = capacity;
  /** Older files come after everything that the limit would show. */
  let oldest = Number.NEGATIVE_INFINITY;
  let opened = 0;
  let spentMs = 0;
  const size = (one: Found<Hit>) => Math.max(1, one.hits.length);

  function dated(file: string): number {
    if (spentMs > DATING_MS) return 0;
    if (opened++ % SAMPLE !== 0) return changedAt(file);
    const started = performance.now();
    const changed = changedAt(file);
    spentMs += (performance.now() - started) * SAMPLE;
    return changed;
  }

  function prune(): void {
    found.sort((a, b) => b.changed - a.changed || (a.file < b.file ? -1 : 1));
    let shown = 0;
    const end = found.findIndex((one) => {
      if (shown >= limit) return true;
      shown += size(one);
      return false;
    });
    if (end !== -1) found = found.slice(0, end);
    if (shown >= limit) oldest = found.at(-1)?.changed ?? oldest;
    room = capacity - shown;
  }

  return {
    open(file) {
      const changed = dated(file);
      if (changed < oldest) return null;
      if (last) room -= size(last);
      if (room < 0) prune();
      last = { file, changed, hits: [] };
      found.push(last);
      return last;
    },
    kept() {
      prune();
      return found;
    },
  };
}

const NO_THROW = { throwIfNoEntry: false } as const;

/** A missing or inaccessible file is the oldest. */
function changedAt(file: string): number {
  return unlessErrno(
    ['ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EIO'],
    0,
    () => lstatSync(file, NO_THROW)?.mtimeMs ?? 0,
  );
}
