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
import { isInside } from '../../lib/paths/inside.ts';
import { isErrno, realPath } from '../files/real-path.ts';
import { isSettled, unlessClosed } from '../files/unless-closed.ts';
import { createStartupSearch, type Place } from './startup-search.ts';

/** What stands at a path: a file's content, or where a link leads. */
export type Content = { type: 'file' | 'link'; bytes: Buffer; mode: number };

/** A file that a command made or changed, and that was put back; `keptAs` holds its content, unless the disk is full. */
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
  /** Where what was set aside is kept. */
  folder: string;
};

/**
 * Finds files that other programs run (`contract/startup-files.ts`) after a command has made or changed them, and puts
 * back what stood there. Commands that overlap share one look at the time before them.
 */
export type StartupWatch = {
  /** Before a command. `mounted` says that what is sealed cannot be changed by it, so that nobody need look there. */
  enter(options: { mounted: boolean }): Promise<void>;
  /** Sets aside what is new or changed since the first of the commands that run now began. */
  check(): Promise<SetAside[]>;
  /** After the last check for a command. */
  leave(): void;
  /** What is about to be written by somebody who was allowed to; null for what is deleted. */
  expect(file: string, content: Pick<Content, 'type' | 'bytes'> | null): void;
};

/** Larger ones are not looked at: nobody could put them back. */
const MAX_BYTES = 20 * 1024 * 1024;

type Seen = { stamp: string; content: Content };
type Before = { seen: Map<string, Seen | null>; folders: ReadonlySet<string>; skip: ReadonlySet<string> };

export function createStartupWatch({ roots, folder }: StartupWatchOptions): StartupWatch {
  const real = [...new Set(roots.map((root) => realPath(root)))];
  const search = createStartupSearch(real);
  /** Contents by path, for those that have not changed since they were read. */
  const known = new Map<string, Seen>();
  let before: Before | null = null;
  let running = 0;
  let kept = 0;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(deed: () => Promise<T>): Promise<T> {
    const mine = last.then(deed);
    last = mine.catch(() => undefined);
    return mine;
  }

  /** Null for what cannot be read, or is too large. */
  function see(file: string): Seen | null {
    const stamp = stampOf(file);
    if (stamp === null) return null;
    const cached = known.get(file);
    if (cached?.stamp === stamp.text && stamp.sure) return cached;
    const content = contentOf(file);
    if (!content) return null;
    const seen = { stamp: stamp.text, content };
    if (stamp.sure) known.set(file, seen);
    return seen;
  }

  /** A link out of the project leads to what a command could not have changed. */
  function isOurs(file: string): boolean {
    const place = realPath(path.dirname(file));
    return real.some((root) => isInside(root, place));
  }

  function keep(file: string, bytes: Buffer): string | null {
    const keptAs = path.join(folder, `${++kept}-${path.basename(file)}`);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(keptAs, bytes, { mode: 0o600 });
      return keptAs;
    } catch (error) {
      if (isErrno(error, ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM'])) return null;
      throw error;
    }
  }

  function setAside({ path: file, because }: Place, now: Content): SetAside {
    const was = before?.seen.get(file)?.content ?? null;
    const keptAs = keep(file, now.bytes);
    try {
      if (was) putContent(file, was);
      else {
        rmSync(file, { force: true });
        removeEmpty(path.dirname(file));
      }
    } catch (error) {
      if (!isErrno(error, ['ENOENT', 'ENOTDIR'])) throw error;
    }
    known.delete(file);
    return { path: file, because, before: was, after: now, keptAs };
  }

  /** Folders that came with the file and hold nothing else. */
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
        before = { seen: new Map(files.map((file) => [file.path, see(file.path)])), folders, skip };
      });
    },

    check: () =>
      inTurn(async () => {
        if (!before) return [];
        const { files } = await search(before.skip);
        const found: SetAside[] = [];
        const gone = new Set<string>();
        // Links come before what they lead to: with the link gone, that is nothing special.
        for (const place of files.sort((a, b) => orderOf(a) - orderOf(b))) {
          if (gone.has(place.path) || (place.via !== undefined && gone.has(place.via))) continue;
          const was = before.seen.get(place.path);
          const now = see(place.path);
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

/** Shorter paths first, and what is only special by a link last. */
function orderOf({ path: file, via }: Place): number {
  return file.length + (via === undefined ? 0 : Number.MAX_SAFE_INTEGER / 2);
}

/** Puts a content in its place, whole or not at all. */
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

/** A program becomes one by its mode, too. */
function isSame(a: Content, b: Content): boolean {
  const executable = (mode: number) => (mode & 0o111) !== 0;
  return a.type === b.type && a.bytes.equals(b.bytes) && (executable(a.mode) || !executable(b.mode));
}

function stampOf(file: string): { text: string; sure: boolean } | null {
  const stat = unlessClosed(() => lstatSync(file, { bigint: true }));
  if (!stat) return null;
  const sure = isSettled(stat.ctimeNs);
  return { text: `${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}`, sure };
}

function contentOf(file: string): Content | null {
  return unlessClosed(() => {
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return { type: 'link', bytes: Buffer.from(readlinkSync(file)), mode: 0o777 };
    if (!stat.isFile() || stat.size > MAX_BYTES) return null;
    return { type: 'file', bytes: readFileSync(file), mode: stat.mode & 0o777 };
  });
}
