import { lstatSync } from 'node:fs';
import { isErrno } from '../files/real-path.ts';

/** What was found in one file, or the file alone. */
export type Found<Hit> = { file: string; changed: number; hits: Hit[] };

export type NewestFiles<Hit> = {
  /** Takes in a file; hits beyond the limit need not be added to it. Null when it is too old to be shown. */
  open(file: string): Found<Hit> | null;
  /** The most recently changed first, no more of them than the limit could show. */
  kept(): Found<Hit>[];
};

/** Beyond this many things what cannot be shown any more is let go. */
const PRUNE_AT = 4_000;
/** On a slow disk the ages are not worth a longer wait: files looked at later count as old. */
const DATING_MS = 2_000;
/** One look at the clock for so many files: it costs a good part of what it measures. */
const SAMPLE = 16;

/**
 * Keeps of any number of files, come in any order, those that are first by age, so that memory does not grow with
 * what is found. Ages are asked for while the search goes on, one call to the system each: in a thread pool the
 * same calls take ten times as long.
 */
export function newestFiles<Hit>(limit: number): NewestFiles<Hit> {
  const capacity = Math.max(PRUNE_AT, limit * 2);
  let found: Found<Hit>[] = [];
  let last: Found<Hit> | undefined;
  let room = capacity;
  /** What is older comes after all that a limit would show. */
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

const QUIETLY = { throwIfNoEntry: false } as const;

/** A file that vanished meanwhile, or cannot be looked at, is the oldest. */
function changedAt(file: string): number {
  try {
    return lstatSync(file, QUIETLY)?.mtimeMs ?? 0;
  } catch (error) {
    if (isErrno(error, ['ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'EIO'])) return 0;
    throw error;
  }
}
