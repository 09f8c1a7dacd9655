import { type FSWatcher, readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { isOnLocalDisk } from '../../lib/files/local-disk.ts';
import { createBarrier } from '../../lib/files/watch-barrier.ts';
import { nativePath } from '../../lib/paths/raw-path.ts';

/** Folders in which something happened, and paths that now lead to something else. */
export type Heard = { folders: Set<string>; renewed: Set<string> };

/** More watches would take too much of the kernel's memory. */
const MOST_FOLDERS = 25_000;
/** So many events at once that the kernel may have dropped some; its queue must hold several times as many. */
const FLOOD = 2_000;
const LEAST_QUEUE = 4 * FLOOD;

/**
 * Hears of changes in the folders of a tree, so that a look need not ask each file. Every folder is watched before it
 * is read. That an answer is complete rests on these facts of Linux and inotify:
 *
 * - An event is queued before the call that caused it returns, and a process gets its events in order. So once a file
 *   made now (the barrier) has been heard of, everything done before has been.
 * - The queue drops events only when it is full, and libuv empties it in one go. More than `FLOOD` events in one turn
 *   of the event loop therefore count as a loss.
 * - A folder that is moved, removed or replaced tells so itself or through its parent; it is watched and read again.
 *
 * What is not heard of: writes through a memory mapping, and writes to a file by a name outside the tree. `TreeIndex`
 * deals with both. Where any of this does not hold (other systems, network file systems, no watches left, silence,
 * floods) `settle` says so with null, and everything is looked at.
 */
export class TreeWatch {
  readonly #barrier: ReturnType<typeof createBarrier>;
  readonly #watchers = new Map<string, FSWatcher>();
  #heard: Heard = { folders: new Set(), renewed: new Set() };
  #state: 'unsure' | 'sure' | 'failed' = 'unsure';
  #flood = 0;

  readonly #root: string;

  /** `cookies` is a folder of our own, for the files of the barrier. */
  constructor(root: string, cookies: string) {
    this.#root = root;
    this.#barrier = createBarrier(cookies, () => this.#fail());
    if (process.platform !== 'linux' || queueLength() < LEAST_QUEUE) this.#state = 'failed';
  }

  /** All that happened since the last time. Null when that is not known: then everything must be looked at. */
  async settle(): Promise<Heard | null> {
    if (this.#state !== 'sure' || !(await this.#barrier.pass()) || this.#state !== 'sure') return null;
    const heard = this.#heard;
    this.#heard = { folders: new Set(), renewed: new Set() };
    for (const place of heard.renewed) if (this.#watchers.has(place)) this.#forget(place);
    return heard;
  }

  /** Before everything is looked at: what is heard from here on is complete again. */
  restart(): void {
    if (this.#state === 'failed') return;
    this.#forgetAll();
    this.#heard = { folders: new Set(), renewed: new Set() };
    this.#state = 'sure';
  }

  /** The look failed half way: nobody knows what it has seen. */
  doubt(): void {
    if (this.#state === 'sure') this.#state = 'unsure';
  }

  /** Before a folder is read. */
  cover(folder: string): void {
    if (this.#state !== 'sure') return;
    if (this.#watchers.size >= MOST_FOLDERS || !isOnLocalDisk(folder)) {
      this.#fail();
      return;
    }
    this.#watchers.get(folder)?.close();
    try {
      const watcher = watch(nativePath(folder), { persistent: false }, (event, name) =>
        this.#hear(folder, event, name),
      );
      watcher.on('error', () => this.#fail());
      this.#watchers.set(folder, watcher);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      this.#watchers.delete(folder);
      // It is gone, and its parent tells so; or it may not be read, and neither can its files be.
      if (!['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(code)) this.#fail();
    }
  }

  close(): void {
    this.#fail();
  }

  #hear(folder: string, event: string, name: string | null): void {
    if (this.#state !== 'sure') return;
    // By its own name a folder tells that it was moved or removed itself. A name that is not UTF-8 cannot be told from
    // others like it. In both cases the folder is read again with all that is in it.
    const isItself = name === path.basename(folder) || name?.includes('\ufffd');
    if (name === null || this.#isFlooded() || (event === 'rename' && isItself && folder === this.#root)) {
      this.#state = 'unsure';
      return;
    }
    this.#heard.folders.add(folder);
    if (event !== 'rename') return;
    this.#heard.renewed.add(path.join(folder, name));
    if (isItself) this.#heard.renewed.add(folder);
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

  /** What was there is no longer watched under its old name. */
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
