import { type FSWatcher, readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { isOnLocalDisk } from '../../lib/files/local-disk.ts';
import { createBarrier } from '../../lib/files/watch-barrier.ts';
import { nativePath } from '../../lib/paths/raw-path.ts';

/** Folders with events, and paths that now refer to something else. */
export type ChangedFolders = { folders: Set<string>; renewed: Set<string> };

/** More watches would take too much kernel memory. */
const MOST_FOLDERS = 25_000;
/**
 * So many events at once that the kernel may have dropped some; its queue must hold several times as many.
 */
const FLOOD = 2_000;
const LEAST_QUEUE = 4 * FLOOD;

/**
 * Watches the folders of a tree, so that a scan need not check each file. Every folder is watched before it
 * is read. Completeness rests on these facts of Linux and inotify:
 *
 * - An event is queued before the call that caused it returns, and a process gets its events in order. So
 *   once the event of a file created now (the barrier) has arrived, all earlier events have.
 * - The queue drops events only when it is full, and libuv empties it in one go. More than `FLOOD` events in
 *   one turn of the event loop therefore count as a loss.
 * - A folder that is moved, removed or replaced causes an event itself or through its parent; it is watched
 *   and read again.
 *
 * Without events: writes through a memory mapping, and writes to a file by a name outside the tree.
 * `TreeIndex` handles both. Where any of this does not hold (other systems, network file systems, no watches
 * left, no events, floods) `settle` returns null, and everything is scanned.
 */
export class TreeWatch {
  readonly #barrier: ReturnType<typeof createBarrier>;
  readonly #watchers = new Map<string, FSWatcher>();
  #changed: ChangedFolders = { folders: new Set(), renewed: new Set() };
  #state: 'unsure' | 'sure' | 'failed' = 'unsure';
  #flood = 0;

  readonly #root: string;

  /** `cookies` is our own folder for the barrier files. */
  constructor(root: string, cookies: string) {
    this.#root = root;
    this.#barrier = createBarrier(cookies, () => this.#fail());
    if (process.platform !== 'linux' || queueLength() < LEAST_QUEUE) this.#state = 'failed';
  }

  /** All events since the last call. Null if unknown: then everything must be scanned. */
  async settle(): Promise<ChangedFolders | null> {
    if (this.#state !== 'sure' || !(await this.#barrier.pass()) || this.#state !== 'sure') return null;
    const changed = this.#changed;
    this.#changed = { folders: new Set(), renewed: new Set() };
    for (const place of changed.renewed) if (this.#watchers.has(place)) this.#forget(place);
    return changed;
  }

  /** Call before a full scan: events from now on are complete again. */
  restart(): void {
    if (this.#state === 'failed') return;
    this.#forgetAll();
    this.#changed = { folders: new Set(), renewed: new Set() };
    this.#state = 'sure';
  }

  /** The scan failed midway: it is unknown what it has seen. */
  doubt(): void {
    if (this.#state === 'sure') this.#state = 'unsure';
  }

  /** Call before a folder is read. */
  cover(folder: string): void {
    if (this.#state !== 'sure') return;
    if (this.#watchers.size >= MOST_FOLDERS || !isOnLocalDisk(folder)) {
      this.#fail();
      return;
    }
    this.#watchers.get(folder)?.close();
    try {
      const watcher = watch(nativePath(folder), { persistent: false }, (event, name) =>
        this.#record(folder, event, name),
      );
      watcher.on('error', () => this.#fail());
      this.#watchers.set(folder, watcher);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      this.#watchers.delete(folder);
      // It is gone, which its parent reports; or it is not readable, and neither are its files.
      if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) this.#fail();
    }
  }

  close(): void {
    this.#fail();
  }

  #record(folder: string, event: string, name: string | null): void {
    if (this.#state !== 'sure') return;
    // An event with the folder's own name means that the folder itself was moved or removed. A name that is
    // not UTF-8 is ambiguous. In both cases the folder is read again with everything in it.
    const isItself = name === path.basename(folder) || name?.includes('\ufffd');
    if (name === null || this.#isFlooded() || (event === 'rename' && isItself && folder === this.#root)) {
      this.#state = 'unsure';
      return;
    }
    this.#changed.folders.add(folder);
    if (event !== 'rename') return;
    this.#changed.renewed.add(path.join(folder, name));
    if (isItself) this.#changed.renewed.add(folder);
  }

  #isFlooded(): boolean {
    if (this.#flood === 0) {
      setImmediate(() => {
        this.#flood = 0;
      });
    }
    this.#flood += 1;
    return this.#flood >= FLOOD;
  }

  /** Stops watching what was there under its old name. */
  #forget(place: string): void {
    for (const [folder, watcher] of this.#watchers) {
      if (folder !== place && !folder.startsWith(place + path.sep)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
  }

  #forgetAll(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #fail(): void {
    this.#state = 'failed';
    this.#forgetAll();
    this.#barrier.close();
  }
}

function queueLength(): number {
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));
  } catch {
    return 0;
  }
}
