import { type Dirent, type FSWatcher, watch } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isOnLocalDisk } from '../lib/files/local-disk.ts';
import { readRegularText } from '../lib/files/regular-file.ts';
import { createBarrier } from '../lib/files/watch-barrier.ts';
import { type IgnoreRules, ignoreRules } from '../lib/paths/ignore-rules.ts';
import { isInside } from '../lib/paths/inside.ts';
import { outerRules } from './outer-rules.ts';

export type TreeWatchOptions = {
  /** A real path. */
  root: string;
  home: string;
  /** Our own folder, for files that show how far notifications have been delivered. */
  cookies: string;
  /** Null: anything may have changed. */
  onChange(file: string | null): void;
  /** The tree cannot be watched; there will be no more notifications. */
  onFail(why: string): void;
  maxFolders?: number;
};

/** More would take too much memory. */
const MOST_FOLDERS = 25_000;
/** With this many changes at once, the system may have dropped some. */
const FLOOD = 4_000;
const RULE_FILES = new Set(['.gitignore', '.ignore', '.rgignore']);
const NEVER_WATCHED = new Set(['.git', 'node_modules']);

/**
 * Reports every change below a folder, at any depth, except in ignored folders. Each folder is watched before
 * it is scanned, so that nothing created meanwhile is missed. Files are not watched individually: their
 * folder reports them.
 */
export class TreeWatch {
  readonly #options: TreeWatchOptions;
  readonly #barrier: ReturnType<typeof createBarrier>;
  readonly #watched = new Map<string, FSWatcher>();
  readonly #rules = new Map<string, IgnoreRules>();
  /** Folders that a search would read but that are not watched. */
  readonly #blind = new Set<string>();
  /** Folders that are currently unreadable. */
  readonly #locked = new Set<string>();
  #queue: string[] = [];
  #walking: Promise<void> | undefined;
  #state: 'on' | 'failed' | 'closed' = 'on';
  #outer = '';
  #inode = 0;
  #flood = 0;

  constructor(options: TreeWatchOptions) {
    this.#options = options;
    this.#barrier = createBarrier(options.cookies, () =>
      this.#fail('the system sent no change notifications'),
    );
    this.#begin();
  }

  /** Whether every change in a folder, or of a file, would be reported. */
  covers(place: string): boolean {
    if (this.#state !== 'on' || this.#walking) return false;
    if (!this.#watched.has(place) && !this.#watched.has(path.dirname(place))) return false;
    for (const blind of this.#blind) if (isInside(place, blind)) return false;
    return this.#watched.has(place) || !this.#isFolderSkipped(place);
  }

  /** Resolves when everything that happened before the call has been reported; false if that is uncertain. */
  async settle(): Promise<boolean> {
    if (this.#state !== 'on' || !(await this.#barrier.pass())) return false;
    if (this.#isOn() && !this.#walking && !(await this.#isSamePlace())) this.#restart();
    return this.#isOn() && !this.#walking;
  }

  /** Resolves when the whole tree has been scanned. */
  async walked(): Promise<void> {
    while (this.#walking) await this.#walking;
  }

  get folders(): number {
    return this.#watched.size;
  }

  close(): void {
    this.#state = 'closed';
    this.#drop();
  }

  #isOn(): boolean {
    return this.#state === 'on';
  }

  #isFolderSkipped(place: string): boolean {
    const name = path.basename(place);
    return NEVER_WATCHED.has(name) || this.#locked.has(place) || this.#isIgnored(place);
  }

  #restart(): void {
    this.#options.onChange(null);
    for (const watcher of this.#watched.values()) watcher.close();
    this.#watched.clear();
    this.#rules.clear();
    this.#blind.clear();
    this.#locked.clear();
    this.#begin();
  }

  #begin(): void {
    this.#outer = outerRules(this.#options);
    this.#inode = 0;
    this.#queue = [];
    this.#enqueue(this.#options.root);
  }

  #enqueue(folder: string): void {
    this.#queue.push(folder);
    this.#walking ??= this.#walk().finally(() => {
      this.#walking = undefined;
    });
  }

  async #walk(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      try {
        await this.#look(next);
      } catch (error) {
        this.#trouble(error, next);
      }
      if (!this.#isOn()) return;
    }
  }

  async #look(folder: string): Promise<void> {
    const { root, maxFolders = MOST_FOLDERS } = this.#options;
    const place = await lstat(folder);
    if (!place.isDirectory() || !this.#isOn() || this.#watched.has(folder)) return;
    if (folder === root) this.#inode = place.ino;
    if (!isOnLocalDisk(folder)) {
      if (folder === root) this.#fail('it is not on a local disk');
      this.#blind.add(folder);
      return;
    }
    if (this.#watched.size >= maxFolders) return this.#fail(`it has more than ${maxFolders} folders`);
    const watcher = watch(folder, { persistent: false }, (event, name) => this.#onEvent(folder, event, name));
    watcher.on('error', () => this.#fail('the system stopped watching'));
    this.#watched.set(folder, watcher);
    this.#locked.delete(folder);

    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries) if (RULE_FILES.has(entry.name)) await this.#readRules(folder, entry);
    for (const entry of entries) {
      const inner = path.join(folder, entry.name);
      if (!entry.isDirectory() || this.#isIgnored(inner)) continue;
      if (!NEVER_WATCHED.has(entry.name)) this.#queue.push(inner);
      // Searches skip .git anyway.
      else if (entry.name !== '.git') this.#blind.add(inner);
    }
  }

  async #readRules(folder: string, entry: Dirent): Promise<void> {
    const file = path.join(folder, entry.name);
    // The target of a link may change undetected.
    const text = entry.isFile() ? readRegularText(file) : null;
    if (text !== null && entry.name === '.gitignore') this.#rules.set(folder, ignoreRules(text));
    // Rules in .ignore take precedence over .gitignore, and could re-include what that excludes.
    else if (text === null || /^\s*!/m.test(text)) this.#blind.add(file);
  }

  #isIgnored(folder: string): boolean {
    const { root } = this.#options;
    for (let above = path.dirname(folder); isInside(root, above); above = path.dirname(above)) {
      const said = this.#rules.get(above)?.(path.relative(above, folder).replaceAll(path.sep, '/'));
      if (said) return said === 'ignored';
      if (above === root) break;
    }
    return false;
  }

  #onEvent(folder: string, event: string, name: string | null): void {
    if (!this.#isOn()) return;
    const { root, onChange } = this.#options;
    // An event with the folder's own name means that it was moved or removed itself.
    const isRootGone = folder === root && name === path.basename(root);
    if (name === null || isRootGone || RULE_FILES.has(name) || this.#isFlooded()) {
      this.#restart();
      return;
    }
    const file = path.join(folder, name);
    onChange(file);
    if (event !== 'rename' && !this.#locked.has(file)) return;
    this.#forget(file);
    if (!NEVER_WATCHED.has(name) && !this.#isIgnored(file)) this.#enqueue(file);
    else if (name === 'node_modules' && !this.#isIgnored(file)) this.#blind.add(file);
  }

  #isFlooded(): boolean {
    if (this.#flood === 0) {
      setImmediate(() => {
        this.#flood = 0;
      });
    }
    this.#flood++;
    return this.#flood === FLOOD;
  }

  /** A folder that is gone or was replaced. A moved folder is no longer watched under its old name. */
  #forget(folder: string): void {
    if (!this.#watched.has(folder)) return;
    for (const [watched, watcher] of this.#watched) {
      if (!isInside(folder, watched)) continue;
      watcher.close();
      this.#watched.delete(watched);
      this.#rules.delete(watched);
    }
    for (const blind of this.#blind) if (isInside(folder, blind)) this.#blind.delete(blind);
  }

  #trouble(error: unknown, folder: string): void {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code)) return;
    // Searches cannot read it either; a mode change is reported by the parent folder.
    if (['EACCES', 'EPERM'].includes(code)) {
      this.#forget(folder);
      this.#locked.add(folder);
    } else if (code === 'ENOSPC' || code === 'EMFILE') {
      this.#fail("the system's watch limit is reached (fs.inotify.max_user_watches)");
    } else if (code !== '') this.#fail(`${folder}: ${code}`);
    else throw error;
  }

  async #isSamePlace(): Promise<boolean> {
    const place = await lstat(this.#options.root).catch(() => null);
    return place?.ino === this.#inode && outerRules(this.#options) === this.#outer;
  }

  #fail(why: string): void {
    if (!this.#isOn()) return;
    this.#state = 'failed';
    this.#drop();
    this.#options.onChange(null);
    this.#options.onFail(why);
  }

  #drop(): void {
    for (const watcher of this.#watched.values()) watcher.close();
    this.#watched.clear();
    this.#queue = [];
    this.#barrier.close();
  }
}
