import { closeSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeAtomic } from '../../lib/files/atomic-write.ts';
import { readJsonLines, toJsonLines } from '../../lib/files/json-lines.ts';
import { sha256 } from '../../lib/sha256.ts';
import { openForAppend } from '../journal.ts';
import { type Change, type FileState, isSame, statIfAny } from './file-state.ts';
import type { Objects } from './objects.ts';
import { type Entry, Tree } from './tree.ts';
import {
  defaultLimits,
  findUpdates,
  type Parts,
  type Skipped,
  type TreeLimits,
  TreeTooLarge,
  type Updates,
  type WalkOptions,
} from './tree-walk.ts';
import { TreeWatch } from './tree-watch.ts';

/** The root was too large when it had these folders. */
type TooLarge = { at: number; folders: string };

/** One line of an index file: the state of a path, its removal, or why it is skipped. */
type Line = { path: string } & (
  | { entry: Entry }
  | { gone: true }
  | { skipped: string }
  | { tooLarge: TooLarge }
);

export type TreeIndexOptions = {
  root: string;
  /** The folder of the index. */
  folder: string;
  objects: Objects;
  limits?: TreeLimits;
  /** Never scanned. */
  excluded?: readonly string[];
  /** How many entries are checked every time, with or without events. */
  everyTime?: number;
};

/** A change, and the path's last modification time according to the file system. */
export type Difference = Change & { at: number | null };

/**
 * The changes since the last scan. Record them before calling `save`: afterwards, a new process starts from
 * here.
 */
export type Look = { changes: Difference[]; save(): Promise<void> };

/**
 * In trees of up to this many entries each scan checks every file. In larger ones a scan uses events, and
 * also checks this many files, others each time, and all hard-linked ones: a write without an event (through
 * a memory mapping, or by a name outside the tree) is thus found within a few scans.
 */
const EVERY_TIME = 5_000;
const HOUR_MS = 60 * 60 * 1000;

/**
 * The state of a working directory, saved to disk so that the next scan reads only what has changed. The file
 * is a cache: losing it costs time, not data.
 */
export class TreeIndex {
  readonly #options: TreeIndexOptions & { limits: Required<TreeLimits> };
  readonly #file: string;
  readonly #skipped: Skipped = new Map();
  readonly #rules: WalkOptions['rules'] = new Map();
  readonly #watch: TreeWatch;
  #tree: Tree | undefined;
  /** Whether it was scanned before. */
  #isKnown = false;
  /** Paths whose line in the file is outdated. */
  readonly #unsaved = new Set<string>();
  #tooLarge: TooLarge | undefined;
  /** Number of lines in the file: when most are outdated it is rewritten. */
  #lines = 0;
  #nextFolders: Iterator<string> | undefined;

  constructor(options: TreeIndexOptions) {
    const { limits, root, folder } = options;
    const id = sha256(root).slice(0, 16);
    this.#options = { ...options, limits: { ...defaultLimits, ...limits } };
    this.#file = path.join(folder, `${id}.jsonl`);
    this.#watch = new TreeWatch(root, path.join(folder, `${id}-watch-${process.pid}-${Date.now()}`));
  }

  /** Paths that are not stored, and why. */
  get skipped(): ReadonlyMap<string, string> {
    return this.#skipped;
  }

  /** The next scan starts from the file. */
  forget(): void {
    this.#tree = undefined;
    this.#unsaved.clear();
    this.#watch.doubt();
  }

  close(): void {
    this.#watch.close();
  }

  /** Scans without saving. Null if the folder is too large to store. */
  async look(signal?: AbortSignal): Promise<Look | null> {
    const tree = this.#tree ?? this.#load();
    this.#tree = tree;
    if (this.#isStillTooLarge()) return null;
    for (const place of this.#skipped.keys()) {
      if (statIfAny(place) !== null) continue;
      this.#skipped.delete(place);
      this.#unsaved.add(place);
    }
    try {
      const updates = await this.#find(tree, signal);
      const changes = this.#commit(tree, updates);
      return { changes, save: () => this.#save(tree) };
    } catch (error) {
      this.#watch.doubt();
      if (!(error instanceof TreeTooLarge)) throw error;
      await this.#rememberTooLarge();
      return null;
    }
  }

  async #find(tree: Tree, signal: AbortSignal | undefined): Promise<Updates> {
    const { root, objects, limits, excluded = [], everyTime = EVERY_TIME } = this.#options;
    const isWatched = tree.size >= everyTime;
    const changed = isWatched ? await this.#watch.settle() : null;
    if (!isWatched) this.#watch.doubt();
    else if (!changed) this.#watch.restart();
    const parts: Parts | 'all' = changed
      ? { ...changed, folders: new Set([...changed.folders, ...this.#someFolders(tree)]), files: tree.shared }
      : 'all';
    const updates = await findUpdates(parts, {
      root,
      tree,
      skipped: this.#skipped,
      excluded: new Set(excluded),
      rules: this.#rules,
      limits,
      keep: (bytes) => objects.put(bytes),
      ...(isWatched && { onFolder: (folder: string) => this.#watch.cover(folder) }),
      ...(signal && { signal }),
    });
    // The index must not refer to contents that are not stored, even after a machine crash.
    objects.flush({ durable: true });
    return updates;
  }

  /** The next folders in rotation, with as many entries as are checked every time. */
  #someFolders(tree: Tree): string[] {
    const { everyTime = EVERY_TIME } = this.#options;
    const folders: string[] = [];
    for (let entries = 0; entries < everyTime; ) {
      this.#nextFolders ??= tree.folders();
      const { done, value } = this.#nextFolders.next();
      if (done) {
        this.#nextFolders = undefined;
        return folders;
      }
      folders.push(value);
      entries += tree.in(value)?.size ?? 0;
    }
    return folders;
  }

  #commit(tree: Tree, { updates, forgotten }: Updates): Difference[] {
    const folderTimes = new Map<string, number | null>();
    const changes = this.#isKnown
      ? updates.flatMap(({ path: file, entry }): Difference[] => {
          const before = tree.get(file) ?? null;
          if (isSame(before, entry)) return [];
          const at = entry ? timeOf(entry) : removedAt(file, folderTimes);
          return [{ path: file, before: before && plain(before), after: entry && plain(entry), at }];
        })
      : [];
    for (const { path: file, entry } of updates) {
      if (entry) tree.set(file, entry);
      else tree.delete(file);
      this.#unsaved.add(file);
    }
    for (const file of forgotten) {
      tree.delete(file);
      this.#unsaved.add(file);
    }
    this.#isKnown = true;
    return changes;
  }

  #load(): Tree {
    const tree = new Tree();
    this.#lines = 0;
    this.#skipped.clear();
    this.#tooLarge = undefined;
    for (const line of readJsonLines(this.#file)) {
      this.#lines += 1;
      if (!isLine(line)) continue;
      this.#skipped.delete(line.path);
      if ('entry' in line) tree.set(line.path, line.entry);
      else tree.delete(line.path);
      if ('skipped' in line) this.#skipped.set(line.path, line.skipped);
      if ('tooLarge' in line) this.#tooLarge = line.tooLarge;
    }
    this.#isKnown = this.#lines > 0 && !this.#tooLarge;
    return tree;
  }

  async #save(tree: Tree): Promise<void> {
    const lines = [...this.#unsaved].map((file): Line => this.#lineOf(tree, file));
    // An empty folder was scanned, too.
    if (this.#lines === 0 && lines.length === 0) lines.push({ path: this.#options.root, gone: true });
    this.#unsaved.clear();
    if (lines.length === 0) return;
    this.#lines += lines.length;
    if (this.#lines <= 2 * tree.size + 1_000 && !this.#tooLarge) {
      const descriptor = openForAppend(this.#file);
      try {
        writeFileSync(descriptor, toJsonLines(lines));
      } finally {
        closeSync(descriptor);
      }
      return;
    }
    this.#tooLarge = undefined;
    await this.#writeWhole([
      ...[...tree.all()].map(([file, entry]): Line => ({ path: file, entry })),
      ...[...this.#skipped].map(([file, skipped]): Line => ({ path: file, skipped })),
    ]);
  }

  #lineOf(tree: Tree, file: string): Line {
    const entry = tree.get(file);
    if (entry) return { path: file, entry };
    const skipped = this.#skipped.get(file);
    return skipped === undefined ? { path: file, gone: true } : { path: file, skipped };
  }

  async #writeWhole(lines: readonly Line[]): Promise<void> {
    await writeAtomic(this.#file, toJsonLines(lines), 0o600);
    this.#lines = lines.length;
  }

  /** Summing up 200,000 sizes in vain around every command would cost more than undo is worth. */
  async #rememberTooLarge(): Promise<void> {
    const { root } = this.#options;
    this.#tree = new Tree();
    this.#isKnown = false;
    this.#unsaved.clear();
    this.#tooLarge = { at: Date.now(), folders: this.#shape() };
    await this.#writeWhole([{ path: root, tooLarge: this.#tooLarge }]);
  }

  /** For an hour, unless folders were added or removed. */
  #isStillTooLarge(): boolean {
    if (!this.#tooLarge) return false;
    const age = Date.now() - this.#tooLarge.at;
    return age >= 0 && age < HOUR_MS && this.#tooLarge.folders === this.#shape();
  }

  #shape(): string {
    const { root, limits } = this.#options;
    return sha256(`${limits.entries} ${limits.bytes} ${foldersIn(root).join('\0')}`);
  }
}

/** Skips a damaged line: its path is scanned again. */
function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  const { path: file, entry, gone, skipped, tooLarge } = value as Record<string, unknown>;
  if (typeof file !== 'string') return false;
  if (gone === true || typeof skipped === 'string') return true;
  if (typeof tooLarge === 'object' && tooLarge !== null) return true;
  return typeof entry === 'object' && entry !== null && typeof (entry as Partial<Entry>).stamp === 'object';
}

function plain({ type, mode, hash }: FileState): FileState {
  return { type, mode, hash };
}

/** A folder's times refer to its content. */
function timeOf({ type, stamp }: Entry): number | null {
  return type === 'folder' ? null : stamp.ctimeMs;
}

/** An entry was removed no later than the last change of its folder. */
function removedAt(file: string, known: Map<string, number | null>): number | null {
  const folder = path.dirname(file);
  const time = known.get(folder);
  if (time !== undefined) return time;
  const found = statIfAny(folder)?.ctimeMs ?? null;
  known.set(folder, found);
  return found;
}

function foldersIn(root: string): string[] {
  try {
    const entries = readdirSync(root, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch {
    // The next scan reports the problem.
    return [];
  }
}
