import { closeSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { readJsonLines, toJsonLines } from '../../lib/json-lines.ts';
import { sha256 } from '../../lib/sha256.ts';
import { openForAppend } from '../journal.ts';
import type { Objects } from './objects.ts';
import { type Change, isSame, type Standing, statIfAny } from './standing.ts';
import { captureTree, type Entry, type Skipped, type Tree, type TreeLimits, TreeTooLarge } from './tree.ts';

/** One line of an index file: what stands at a path, nothing any more, or why it is left out. */
type Line = { path: string } & ({ entry: Entry } | { gone: true } | { skipped: string });

export type TreeIndexOptions = { root: string; folder: string; objects: Objects; limits?: TreeLimits };

/**
 * What changed since the last look. Whoever needs that must write it down before `save`: from then on a process that
 * begins anew counts from here.
 */
export type Look = { changes: Change[]; save(): Promise<void> };

/**
 * What stands in a working directory, kept on disk so that another look costs no more than asking each file whether
 * it changed. The file is a cache: losing it costs time, not data.
 */
export class TreeIndex {
  readonly #options: TreeIndexOptions;
  readonly #file: string;
  readonly #skipped: Skipped = new Map();
  #tree: Tree | undefined;
  /** How many lines the file has: when most of them are outdated it is written anew. */
  #lines = 0;

  constructor(options: TreeIndexOptions) {
    this.#options = options;
    this.#file = path.join(options.folder, `${sha256(options.root).slice(0, 16)}.jsonl`);
  }

  /** Places that are not kept, and why. */
  get skipped(): ReadonlyMap<string, string> {
    return this.#skipped;
  }

  /** The next look reads every file: what this one promises is no longer kept. */
  forget(): void {
    this.#tree = undefined;
    this.#lines = 0;
    this.#skipped.clear();
  }

  /** Looks again, without writing it down. Null when the folder is too large to be kept. */
  async look(signal?: AbortSignal): Promise<Look | null> {
    const known = this.#tree ?? this.#load();
    const { root, objects, limits } = this.#options;
    const leftOut = new Set(this.#skipped.keys());
    for (const place of leftOut) if (statIfAny(place) === null) this.#skipped.delete(place);
    try {
      const now = await captureTree(root, {
        previous: known ?? new Map(),
        skipped: this.#skipped,
        keep: (bytes) => objects.put(bytes),
        ...(limits && { limits }),
        ...(signal && { signal }),
      });
      // The index must not promise what is not kept.
      objects.flush();
      this.#tree = now;
      return {
        changes: known ? changesBetween(known, now, this.#skipped) : [],
        save: () => this.#save(known ?? new Map(), now, leftOut),
      };
    } catch (error) {
      if (error instanceof TreeTooLarge) return null;
      throw error;
    }
  }

  /** Null when nobody has looked yet. */
  #load(): Tree | null {
    const tree: Tree = new Map();
    for (const line of readJsonLines(this.#file)) {
      this.#lines += 1;
      if (!isLine(line)) continue;
      this.#skipped.delete(line.path);
      if ('entry' in line) tree.set(line.path, line.entry);
      else tree.delete(line.path);
      if ('skipped' in line) this.#skipped.set(line.path, line.skipped);
    }
    return this.#lines === 0 ? null : tree;
  }

  async #save(known: Tree, now: Tree, leftOut: ReadonlySet<string>): Promise<void> {
    const lines: Line[] = [];
    for (const [file, entry] of now) if (!isEqual(known.get(file), entry)) lines.push({ path: file, entry });
    for (const file of known.keys()) if (!now.has(file)) lines.push({ path: file, gone: true });
    for (const file of leftOut) if (!this.#skipped.has(file)) lines.push({ path: file, gone: true });
    for (const [file, skipped] of this.#skipped) if (!leftOut.has(file)) lines.push({ path: file, skipped });
    // An empty folder was looked at, too.
    if (this.#lines === 0 && lines.length === 0) lines.push({ path: this.#options.root, gone: true });
    this.#lines += lines.length;
    if (this.#lines <= 2 * now.size + 1_000) {
      if (lines.length === 0) return;
      const descriptor = openForAppend(this.#file);
      try {
        writeFileSync(descriptor, toJsonLines(lines));
      } finally {
        closeSync(descriptor);
      }
      return;
    }
    const whole = [
      ...[...now].map(([file, entry]): Line => ({ path: file, entry })),
      ...[...this.#skipped].map(([file, skipped]): Line => ({ path: file, skipped })),
    ];
    await writeAtomic(this.#file, toJsonLines(whole), 0o600);
    this.#lines = whole.length;
  }
}

/** A damaged line is passed over: what it spoke of is looked at again. */
function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  const { path: file, entry, gone, skipped } = value as Record<string, unknown>;
  if (typeof file !== 'string') return false;
  if (gone === true || typeof skipped === 'string') return true;
  return typeof entry === 'object' && entry !== null && typeof (entry as Partial<Entry>).stamp === 'object';
}

function isEqual(a: Entry | undefined, b: Entry): boolean {
  if (a === undefined || !isSame(a, b)) return false;
  const { stamp } = b;
  return (
    a.stamp.sure === stamp.sure &&
    a.stamp.ctimeMs === stamp.ctimeMs &&
    a.stamp.mtimeMs === stamp.mtimeMs &&
    a.stamp.ino === stamp.ino &&
    a.stamp.size === stamp.size
  );
}

/** What is left out now was not deleted: nobody looked. */
function changesBetween(known: Tree, now: Tree, skipped: ReadonlyMap<string, string>): Change[] {
  const changes: Change[] = [];
  for (const [file, entry] of now) {
    const before = known.get(file) ?? null;
    if (!isSame(before, entry))
      changes.push({ path: file, before: before && plain(before), after: plain(entry) });
  }
  for (const [file, entry] of known) {
    if (!now.has(file) && !isUnder(file, skipped))
      changes.push({ path: file, before: plain(entry), after: null });
  }
  return changes;
}

function isUnder(file: string, places: ReadonlyMap<string, string>): boolean {
  for (let at = file; at !== path.dirname(at); at = path.dirname(at)) if (places.has(at)) return true;
  return false;
}

function plain({ type, mode, hash }: Standing): Standing {
  return { type, mode, hash };
}
