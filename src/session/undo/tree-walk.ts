import { readdirSync, readFileSync, type Stats } from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { type IgnoreRules, ignoreRules } from '../../lib/paths/ignore-rules.ts';
import { nativePath, pathFromBytes } from '../../lib/paths/raw-path.ts';
import { foundAs, statIfAny } from './file-state.ts';
import { bytesOf, type Entry, type Stamp, type Tree } from './tree.ts';

/** Why a path is not stored and thus cannot be restored. */
export type Skipped = Map<string, string>;

export type TreeLimits = {
  /** Of the whole tree. Above it nothing is stored. */
  entries: number;
  bytes: number;
  /** Of one file. */
  fileBytes: number;
  /** Of a folder that tools can rebuild, such as node_modules. */
  builtEntries: number;
  builtBytes: number;
  /** Of a folder ignored by git: most are rebuilt often. */
  ignoredEntries?: number;
  ignoredBytes?: number;
};

export const defaultLimits: Required<TreeLimits> = {
  entries: 200_000,
  bytes: 1024 ** 3,
  fileBytes: 20 * 1024 ** 2,
  builtEntries: 3_000,
  builtBytes: 100 * 1024 ** 2,
  ignoredEntries: 1_000,
  ignoredBytes: 10 * 1024 ** 2,
};

/** Version control folders: never stored, never changed. */
const FOREIGN = new Set(['.git', '.hg', '.svn', '.jj', '.bzr']);

/** Folders that tools can rebuild. */
export const BUILT = new Set(
  'node_modules bower_components .venv venv __pycache__ .tox .mypy_cache .pytest_cache target dist build out .next .nuxt .svelte-kit .turbo .parcel-cache .cache .gradle Pods DerivedData coverage .terraform vendor'.split(
    ' ',
  ),
);

const REBUILDABLE = 'it is large and can be rebuilt';
const IGNORED = 'it is large and git ignores it';
const UNREADABLE = 'it is not readable';

/** Two changes within one tick of the file system's clock are indistinguishable. */
const CLOCK_TICK_MS = 50;
const PAUSE_EVERY_MS = 12;

export class TreeTooLarge extends Error {}

export type WalkOptions = {
  root: string;
  tree: Tree;
  /** Paths skipped before stay skipped: their content must not appear new. */
  skipped: Skipped;
  /** Never scanned or reported. */
  excluded: ReadonlySet<string>;
  rules: Map<string, { stamp: string; says: IgnoreRules }>;
  limits: Required<TreeLimits>;
  /** Stores a content so that it can be restored. */
  keep(bytes: Uint8Array): string;
  /** Called before a folder is read. */
  onFolder?(folder: string): void;
  signal?: AbortSignal;
};

/** Parts of a tree: `folders` without their subfolders, `renewed` with everything in them. */
export type Parts = {
  folders: ReadonlySet<string>;
  renewed: ReadonlySet<string>;
  files: ReadonlySet<string>;
};

/** `entry` is null for a removed path; `forgotten` are known paths that are no longer scanned. */
export type Updates = { updates: { path: string; entry: Entry | null }[]; forgotten: string[] };

/** Size limits for a folder's content. */
type Cap = { entries: number; bytes: number; because: string };
type Room = Cap & { isFull: boolean };

/**
 * Finds the changes in a tree since the last scan, and stores new contents. Sums up sizes before reading the
 * first file; does not read unchanged files. The tree itself is not changed.
 */
export async function findUpdates(parts: Parts | 'all', options: WalkOptions): Promise<Updates> {
  const walk = new Walk(options);
  if (parts === 'all') await walk.all();
  else await walk.parts(parts);
  return walk.finish();
}

class Walk {
  readonly #options: WalkOptions;
  readonly #found = new Map<string, { stat: Stats; stamp: Stamp }>();
  readonly #gone = new Set<string>();
  readonly #forgotten: string[] = [];
  #renewed: ReadonlySet<string> = new Set();
  #entries = 0;
  #bytes = 0;
  #lastPause = performance.now();

  constructor(options: WalkOptions) {
    this.#options = options;
  }

  async all(): Promise<void> {
    const { root, limits } = this.#options;
    await this.#folder(root, { ...limits, because: '', isFull: false }, { deep: true });
  }

  async parts({ folders, renewed, files }: Parts): Promise<void> {
    this.#renewed = renewed;
    const shallow = new Set<string>();
    const capped = new Set<string>();
    for (const folder of [...folders, ...[...renewed].map((place) => path.dirname(place))]) {
      const above = this.#cappedAbove(folder);
      if (above === null) shallow.add(folder);
      else capped.add(above);
    }
    for (const folder of capped) shallow.add(path.dirname(folder));
    const unlimited = () => ({ entries: Infinity, bytes: Infinity, because: '', isFull: false });
    this.#renewed = new Set([...renewed, ...capped]);
    for (const folder of shallow) {
      const stat = statIfAny(folder);
      if (stat?.isDirectory() && !this.#isSkipped(folder))
        await this.#folder(folder, unlimited(), { deep: false });
    }
    for (const file of files) {
      const stat = statIfAny(file);
      if (stat && !stat.isDirectory() && !this.#isSkipped(file)) this.#note(file, stat);
    }
    this.#mustFit();
  }

  async finish(): Promise<Updates> {
    const updates: Updates['updates'] = [];
    for (const file of this.#gone) if (!this.#found.has(file)) updates.push({ path: file, entry: null });
    for (const [file, { stat, stamp }] of this.#found) {
      await this.#yieldToEventLoop();
      const entry = this.#read(file, stat, stamp);
      if (entry || this.#options.tree.get(file)) updates.push({ path: file, entry });
    }
    return { updates, forgotten: this.#forgotten };
  }

  async #folder(folder: string, room: Room, { deep }: { deep: boolean }): Promise<void> {
    await this.#yieldToEventLoop();
    const { tree, skipped, excluded, onFolder } = this.#options;
    if (deep) onFolder?.(folder);
    const names = this.#list(folder);
    if (names === null) return;
    const known = tree.in(folder);
    if (names.includes('.gitignore')) this.#readRules(folder);
    else this.#options.rules.delete(folder);
    const seen = new Set<string>();
    const start = folder.endsWith(path.sep) ? folder : folder + path.sep;
    for (const name of names) {
      const file = start + name;
      if (FOREIGN.has(name) || excluded.has(file) || skipped.has(file)) continue;
      const stat = statIfAny(file);
      if (!stat) continue;
      seen.add(name);
      const before = known?.get(name);
      this.#note(file, stat, before);
      if (stat.isDirectory()) {
        const isKnown = before?.type === 'folder' && before.stamp.ino === stat.ino;
        if (deep || !isKnown || this.#renewed.has(file)) await this.#inner(file, room);
      } else this.#count(room, this.#weightOf(stat));
      if (room.isFull) return;
    }
    for (const name of known?.keys() ?? []) if (!seen.has(name)) this.#isGone(start + name);
  }

  /** A subfolder: one that can be rebuilt has a size limit. */
  async #inner(folder: string, room: Room): Promise<void> {
    const cap = room.because === '' ? this.#capOf(folder) : null;
    const mark = { found: this.#found.size, entries: this.#entries, bytes: this.#bytes };
    this.#count(room, 0);
    if (!cap) return this.#folder(folder, room, { deep: true });
    const own: Room = { ...cap, isFull: false };
    await this.#folder(folder, own, { deep: true });
    if (own.isFull) {
      const { found, ...sums } = mark;
      for (const file of [...this.#found.keys()].slice(found)) this.#found.delete(file);
      this.#entries = sums.entries;
      this.#bytes = sums.bytes;
      this.#skip(folder, cap.because);
      return;
    }
    room.entries -= cap.entries - own.entries;
    room.bytes -= cap.bytes - own.bytes;
  }

  #count(room: Room, bytes: number): void {
    room.entries -= 1;
    room.bytes -= bytes;
    this.#entries += 1;
    this.#bytes += bytes;
    if (room.entries >= 0 && room.bytes >= 0) return;
    if (room.because === '') throw new TreeTooLarge();
    room.isFull = true;
  }

  /** The cost of storing it: a file too large to store costs nothing. */
  #weightOf(stat: Stats): number {
    return stat.isFile() && stat.size <= this.#options.limits.fileBytes ? stat.size : 0;
  }

  /** The same limit for a partial scan. */
  #mustFit(): void {
    const { tree, limits } = this.#options;
    let { size, bytes } = tree;
    for (const [file, { stat }] of this.#found) {
      const known = tree.get(file);
      if (!known) size += 1;
      bytes += this.#weightOf(stat) - (known ? bytesOf(known) : 0);
    }
    for (const file of this.#gone) {
      const known = tree.get(file);
      if (!known) continue;
      size -= 1;
      bytes -= bytesOf(known);
    }
    if (size > limits.entries || bytes > limits.bytes) throw new TreeTooLarge();
  }

  #note(file: string, stat: Stats, known = this.#options.tree.get(file)): void {
    const stamp = stampOf(stat);
    if (known?.type === 'folder' && !stat.isDirectory())
      for (const inner of this.#options.tree.under(file)) this.#gone.add(inner);
    if (known && isUnchanged(known, stat, stamp)) return;
    this.#found.set(file, { stat, stamp });
  }

  #isGone(file: string): void {
    const { tree, skipped, excluded } = this.#options;
    // A skipped path was not deleted, only not scanned.
    if (skipped.has(file) || excluded.has(file)) return;
    this.#gone.add(file);
    for (const inner of tree.under(file)) this.#gone.add(inner);
  }

  #skip(place: string, because: string): void {
    const { tree, skipped } = this.#options;
    skipped.set(place, because);
    for (const file of [place, ...tree.under(place)]) {
      this.#forgotten.push(file);
      this.#gone.delete(file);
      this.#found.delete(file);
    }
  }

  #isSkipped(file: string): boolean {
    const { root, skipped, excluded } = this.#options;
    for (let at = file; at !== root && at !== path.dirname(at); at = path.dirname(at))
      if (skipped.has(at) || excluded.has(at) || FOREIGN.has(path.basename(at))) return true;
    return false;
  }

  #capOf(folder: string): Cap | null {
    const { limits } = this.#options;
    if (this.#isIgnored(folder))
      return { entries: limits.ignoredEntries, bytes: limits.ignoredBytes, because: IGNORED };
    if (BUILT.has(path.basename(folder)))
      return { entries: limits.builtEntries, bytes: limits.builtBytes, because: REBUILDABLE };
    return null;
  }

  /** The outermost folder at or above a path that has a size limit. */
  #cappedAbove(folder: string): string | null {
    const { root } = this.#options;
    let outermost: string | null = null;
    for (let at = folder; at !== root && at !== path.dirname(at); at = path.dirname(at))
      if (this.#capOf(at)) outermost = at;
    return outermost;
  }

  #isIgnored(file: string): boolean {
    const { root, rules } = this.#options;
    if (rules.size === 0) return false;
    for (let above = path.dirname(file); ; above = path.dirname(above)) {
      const said = rules.get(above)?.says(path.relative(above, file).replaceAll(path.sep, '/'));
      if (said) return said === 'ignored';
      if (above === root || above === path.dirname(above)) return false;
    }
  }

  #readRules(folder: string): void {
    const { rules } = this.#options;
    const file = path.join(folder, '.gitignore');
    const stat = statIfAny(file);
    if (!stat?.isFile() || stat.size > 1024 ** 2) return;
    const stamp = `${stat.ctimeMs} ${stat.size} ${stat.ino}`;
    if (rules.get(folder)?.stamp === stamp) return;
    try {
      rules.set(folder, { stamp, says: ignoreRules(readFileSync(nativePath(file), 'utf8')) });
    } catch (error) {
      if (!['EACCES', 'EPERM', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  /** Null if it is not readable, or not a folder. */
  #list(folder: string): string[] | null {
    try {
      const place = nativePath(folder);
      const names = typeof place === 'string' ? readdirSync(place) : null;
      if (names && !names.some((name) => name.includes('\ufffd'))) return names;
      return readdirSync(place, 'buffer').map(pathFromBytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM') this.#skip(folder, UNREADABLE);
      else if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      else if (folder === this.#options.root) return [];
      return null;
    }
  }

  #read(file: string, stat: Stats, stamp: Stamp): Entry | null {
    const { limits, keep } = this.#options;
    const isIgnored = () => stat.size > limits.ignoredBytes / 10 && this.#isIgnored(file);
    if (stat.isFile() && (stat.size > limits.fileBytes || isIgnored()))
      return { type: 'file', mode: stat.mode & 0o7777, hash: null, stamp };
    try {
      const { state, bytes } = foundAs(file, stat);
      if (state.type === 'file' || state.type === 'link') keep(bytes);
      return { ...state, stamp };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENXIO') return null;
      if (code !== 'EACCES' && code !== 'EPERM') throw error;
      this.#skip(file, UNREADABLE);
      return null;
    }
  }

  async #yieldToEventLoop(): Promise<void> {
    if (performance.now() - this.#lastPause <= PAUSE_EVERY_MS) return;
    await pause();
    this.#options.signal?.throwIfAborted();
    this.#lastPause = performance.now();
  }
}

function stampOf(stat: Stats): Stamp {
  const { size, mtimeMs, ctimeMs, ino } = stat;
  // A folder's times refer to its content.
  if (stat.isDirectory()) return { size: 0, mtimeMs: 0, ctimeMs: 0, ino, sure: true };
  const sure = ctimeMs < Date.now() - CLOCK_TICK_MS;
  return { size, mtimeMs, ctimeMs, ino, sure, ...(stat.isFile() && stat.nlink > 1 && { shared: true }) };
}

function isUnchanged(known: Entry, stat: Stats, now: Stamp): boolean {
  const { stamp } = known;
  return (
    stamp.sure &&
    known.type === typeOf(stat) &&
    (known.mode === null || known.mode === (stat.mode & 0o7777)) &&
    stamp.size === now.size &&
    stamp.mtimeMs === now.mtimeMs &&
    stamp.ctimeMs === now.ctimeMs &&
    stamp.ino === now.ino
  );
}

function typeOf(stat: Stats): Entry['type'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'folder';
  return stat.isSymbolicLink() ? 'link' : 'other';
}
