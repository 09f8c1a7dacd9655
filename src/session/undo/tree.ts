import { type Dirent, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { foundAs, type Standing, statIfAny } from './standing.ts';

/** Tells, without reading it, whether a file is the one seen before. `sure` is false just after it was changed. */
type Stamp = { size: number; mtimeMs: number; ctimeMs: number; ino: number; sure: boolean };

export type Entry = Standing & { stamp: Stamp };

export type Tree = Map<string, Entry>;

/** Why a place is not kept: it can then not be brought back. */
export type Skipped = Map<string, string>;

export type TreeLimits = {
  /** Of the whole tree. Past them nothing of it is kept. */
  entries: number;
  bytes: number;
  /** Of one file. */
  fileBytes: number;
  /** Of a folder that tools can make anew, such as node_modules. */
  builtEntries: number;
  builtBytes: number;
};

const defaultLimits: TreeLimits = {
  entries: 200_000,
  bytes: 1024 ** 3,
  fileBytes: 20 * 1024 ** 2,
  builtEntries: 3_000,
  builtBytes: 100 * 1024 ** 2,
};

/** The histories of version control systems are theirs: never kept, never touched. */
const FOREIGN = new Set(['.git', '.hg', '.svn', '.jj', '.bzr']);

const BUILT = new Set(
  'node_modules bower_components .venv venv __pycache__ .tox .mypy_cache .pytest_cache target dist build out .next .nuxt .svelte-kit .turbo .parcel-cache .cache .gradle Pods DerivedData coverage .terraform vendor'.split(
    ' ',
  ),
);

/** Two changes within one tick of the file system's clock look the same from outside. */
const CLOCK_TICK_MS = 50;
const PAUSE_EVERY_MS = 12;

export class TreeTooLarge extends Error {}

export type CaptureOptions = {
  previous: Tree;
  /** Places left out before stay left out: what is in them must not look new. */
  skipped: Skipped;
  /** Keeps a content, so that it can be brought back. */
  keep(bytes: Uint8Array): string;
  limits?: TreeLimits;
  signal?: AbortSignal;
};

/** All that stands under a folder. Contents of files that are as they were seen before are not read again. */
export async function captureTree(root: string, options: CaptureOptions): Promise<Tree> {
  const walk = new Walk(options);
  await walk.folder(root, null);
  return walk.tree;
}

/** `began` is where in the list of found things the folder begins, so that it can be dropped again. */
type Built = { folder: string; began: number; bytes: number };

class Walk {
  readonly tree: Tree = new Map();
  readonly #options: CaptureOptions;
  readonly #limits: TreeLimits;
  #bytes = 0;
  #lastPause = performance.now();

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
  }

  async folder(folder: string, built: Built | null): Promise<void> {
    if (performance.now() - this.#lastPause > PAUSE_EVERY_MS) {
      await pause();
      this.#options.signal?.throwIfAborted();
      this.#lastPause = performance.now();
    }
    for (const entry of this.#list(folder)) {
      const file = path.join(folder, entry.name);
      if (FOREIGN.has(entry.name) || this.#options.skipped.has(file)) continue;
      const stat = statIfAny(file);
      if (!stat) continue;
      if (!stat.isDirectory()) this.#add(file, stat);
      else if (built === null && BUILT.has(entry.name)) await this.#builtFolder(file, stat);
      else {
        this.#add(file, stat);
        await this.folder(file, built);
      }
      if (built && this.#isTooLarge(built)) return;
    }
  }

  async #builtFolder(file: string, stat: Stats): Promise<void> {
    const built: Built = { folder: file, began: this.tree.size, bytes: this.#bytes };
    this.#add(file, stat);
    await this.folder(file, built);
    if (!this.#isTooLarge(built)) return;
    for (const found of [...this.tree.keys()].slice(built.began)) this.tree.delete(found);
    this.#bytes = built.bytes;
    this.#options.skipped.set(file, 'it is large and can be made anew');
  }

  #isTooLarge({ began, bytes }: Built): boolean {
    const { builtEntries, builtBytes } = this.#limits;
    return this.tree.size - began > builtEntries || this.#bytes - bytes > builtBytes;
  }

  #list(folder: string): Dirent[] {
    try {
      return readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' || code === 'EPERM') this.#options.skipped.set(folder, 'it may not be read');
      else if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
      return [];
    }
  }

  #add(file: string, stat: Stats): void {
    if (stat.isFile()) this.#bytes += stat.size;
    if (this.tree.size >= this.#limits.entries || this.#bytes > this.#limits.bytes) throw new TreeTooLarge();
    const entry = this.#entry(file, stat);
    if (entry) this.tree.set(file, entry);
  }

  #entry(file: string, stat: Stats): Entry | null {
    const { size, mtimeMs, ctimeMs, ino } = stat;
    const mode = stat.mode & 0o7777;
    const sure = ctimeMs < Date.now() - CLOCK_TICK_MS;
    const stamp = { size, mtimeMs, ctimeMs, ino, sure };
    const known = this.#options.previous.get(file);
    if (stat.isFile() && known?.type === 'file' && isUnchanged(known.stamp, stamp))
      return { ...known, mode, stamp };
    if (stat.isFile() && size > this.#limits.fileBytes) return { type: 'file', mode, hash: null, stamp };
    try {
      const { standing, bytes } = foundAs(file, stat);
      if (standing.type === 'other') return null;
      if (standing.type !== 'folder') this.#options.keep(bytes);
      return { ...standing, stamp };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return null;
      if (code !== 'EACCES' && code !== 'EPERM') throw error;
      this.#options.skipped.set(file, 'it may not be read');
      return null;
    }
  }
}

function isUnchanged(known: Stamp, now: Stamp): boolean {
  return (
    known.sure &&
    known.size === now.size &&
    known.mtimeMs === now.mtimeMs &&
    known.ctimeMs === now.ctimeMs &&
    known.ino === now.ino
  );
}
