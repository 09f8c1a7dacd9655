import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { oneAtATime } from '../../lib/async/one-at-a-time.ts';
import { isErrno, unlessErrno } from '../../lib/files/errno.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { ifAccessible, isSettled } from '../files/if-accessible.ts';
import { realPath } from '../files/real-path.ts';
import { createStartupSearch, type Place } from './startup-search.ts';

/** The state of a path: a file's content, or a link's target. */
export type Content = { type: 'file' | 'link'; bytes: Buffer; mode: number };

/**
 * A file that a command created or changed, and that was restored; `keptAs` holds its new content, unless the
 * disk is full.
 */
export type SetAside = {
  path: string;
  because: string;
  before: Content | null;
  after: Content;
  keptAs: string | null;
};

export type StartupWatchOptions = {
  /** The folders that commands may change. */
  roots: readonly string[];
  /** The folder for files that were set aside. */
  folder: string;
};

/**
 * Detects startup files (`contract/startup-files.ts`) that a command has created or changed, and restores the
 * previous state. Overlapping commands share one state from before.
 */
export type StartupWatch = {
  /** Call before a command. `mounted`: sealed files are read-only for it, so they need no check. */
  enter(options: { mounted: boolean }): Promise<void>;
  /** Sets aside what is new or changed since the first of the running commands started. */
  check(): Promise<SetAside[]>;
  /** Call after the last check for a command. */
  leave(): void;
  /** Announces an approved write; null for a deletion. */
  expect(file: string, content: Pick<Content, 'type' | 'bytes'> | null): void;
};

/** Larger files are not checked: they could not be restored. */
const MAX_BYTES = 20 * 1024 * 1024;

type Seen = { stamp: string; content: Content };
type Before = { seen: Map<string, Seen | null>; folders: ReadonlySet<string>; skip: ReadonlySet<string> };

export function createStartupWatch({ roots, folder }: StartupWatchOptions): StartupWatch {
  const real = [...new Set(roots.map((root) => realPath(root)))];
  const search = createStartupSearch(real);
  const contents = new Contents();
  let before: Before | null = null;
  let running = 0;
  let kept = 0;
  const inTurn = oneAtATime();

  /** A command could not have changed the target of a link out of the project. */
  function isOurs(file: string): boolean {
    const place = realPath(path.dirname(file));
    return real.some((root) => isInside(root, place));
  }

  function setAside({ path: file, because }: Place, now: Content): SetAside {
    const was = before?.seen.get(file)?.content ?? null;
    const keptAs = keep(path.join(folder, `${++kept}-${path.basename(file)}`), now.bytes);
    try {
      if (was) putContent(file, was);
      else {
        rmSync(file, { force: true });
        removeEmpty(path.dirname(file));
      }
    } catch (error) {
      if (!isErrno(error, ['ENOENT', 'ENOTDIR'])) throw error;
    }
    contents.forget(file);
    return { path: file, because, before: was, after: now, keptAs };
  }

  /** Removes folders that were created with the file and contain nothing else. */
  function removeEmpty(from: string): void {
    for (
      let at = from;
      !before?.folders.has(at) && real.some((root) => root !== at && isInside(root, at));
    ) {
      try {
        rmdirSync(at);
      } catch (error) {
        if (isErrno(error, ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'ENOTDIR'])) return;
        throw error;
      }
      at = path.dirname(at);
    }
  }

  return {
    enter: ({ mounted }) => {
      running += 1;
      return inTurn(async () => {
        if (before) return;
        const skip = new Set(mounted ? search.sealed() : []);
        const { files, folders } = await search(skip);
        before = { seen: new Map(files.map((file) => [file.path, contents.see(file.path)])), folders, skip };
      });
    },

    check: () =>
      inTurn(async () => {
        if (!before) return [];
        const { files } = await search(before.skip);
        const found: SetAside[] = [];
        const gone = new Set<string>();
        // Links come before their targets: without the link, the target is an ordinary file.
        for (const place of files.sort((a, b) => orderOf(a) - orderOf(b))) {
          if (gone.has(place.path) || (place.via !== undefined && gone.has(place.via))) continue;
          const was = before.seen.get(place.path);
          const now = contents.see(place.path);
          if (!now || !isOurs(place.path)) continue;
          if (was === null || (was && isSame(was.content, now.content))) continue;
          found.push(setAside(place, now.content));
          gone.add(place.path);
        }
        return found;
      }),

    leave() {
      running -= 1;
      if (running === 0) before = null;
    },

    expect(file, content) {
      if (!before) return;
      const mode = before.seen.get(file)?.content.mode ?? 0o777;
      if (content) before.seen.set(file, { stamp: '', content: { ...content, mode } });
      else before.seen.delete(file);
    },
  };
}

/** Contents by path, remembered for files that have not changed since they were read. */
class Contents {
  readonly #known = new Map<string, Seen>();

  /** Null for an unreadable or too large file. */
  see(file: string): Seen | null {
    const stamp = stampOf(file);
    if (stamp === null) return null;
    const cached = this.#known.get(file);
    if (cached?.stamp === stamp.text && stamp.sure) return cached;
    const content = contentOf(file);
    if (!content) return null;
    const seen = { stamp: stamp.text, content };
    if (stamp.sure) this.#known.set(file, seen);
    return seen;
  }

  forget(file: string): void {
    this.#known.delete(file);
  }
}

/** Null if the disk is full or read-only. */
function keep(file: string, bytes: Buffer): string | null {
  return unlessErrno(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM'], null, () => {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bytes, { mode: 0o600 });
    return file;
  });
}

/** Shorter paths first, and files that count only because of a link last. */
function orderOf({ path: file, via }: Place): number {
  return file.length + (via === undefined ? 0 : Number.MAX_SAFE_INTEGER / 2);
}

/** Restores a content atomically. */
export function putContent(file: string, { type, bytes, mode }: Content): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`);
  rmSync(temporary, { force: true });
  if (type === 'link') symlinkSync(bytes, temporary);
  else {
    writeFileSync(temporary, bytes, { flag: 'wx' });
    chmodSync(temporary, mode);
  }
  renameSync(temporary, file);
}

/** Becoming executable is a change, too. */
function isSame(a: Content, b: Content): boolean {
  const executable = (mode: number) => (mode & 0o111) !== 0;
  return a.type === b.type && a.bytes.equals(b.bytes) && (executable(a.mode) || !executable(b.mode));
}

function stampOf(file: string): { text: string; sure: boolean } | null {
  const stat = ifAccessible(() => lstatSync(file, { bigint: true }));
  if (!stat) return null;
  const sure = isSettled(stat.ctimeNs);
  return { text: `${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}`, sure };
}

function contentOf(file: string): Content | null {
  return ifAccessible(() => {
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return { type: 'link', bytes: Buffer.from(readlinkSync(file)), mode: 0o777 };
    if (!stat.isFile() || stat.size > MAX_BYTES) return null;
    return { type: 'file', bytes: readFileSync(file), mode: stat.mode & 0o777 };
  });
}
