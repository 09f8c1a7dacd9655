import { type FSWatcher, rmdirSync, rmSync, watch as watchPath } from 'node:fs';
import path from 'node:path';
import { oneAtATime } from '../../lib/async/one-at-a-time.ts';
import { isErrno } from '../../lib/files/errno.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { ifAccessible } from '../files/if-accessible.ts';
import { realPath } from '../files/real-path.ts';
import { beginningOf, Contents, isSame, isTooLarge, keep, putContent, type Seen } from './contents.ts';
import type { Concern, Content, JudgeOf, Place } from './place.ts';
import { createStartupSearch } from './startup-search.ts';

/**
 * A file that a command created or changed, and that was restored; `keptAs` holds its new content, unless the
 * disk is full.
 */
export type SetAside = Concern & {
  path: string;
  before: Content | null;
  after: Content;
  keptAs: string | null;
};

export type StartupWatchOptions = {
  /** The folders that commands may change. */
  roots: readonly string[];
  /** The folder for files that were set aside. */
  folder: string;
  home: string;
  /** For other files that run unasked after some changes: judges a change of a file of this name. */
  judgeOf?: JudgeOf;
};

/**
 * Detects startup files (`contract/startup-files.ts`) that a command has created or changed, and restores the
 * previous state. Overlapping commands share one state from before.
 */
export type StartupWatch = {
  /** Call before a command. `mounted`: sealed files are read-only for it, so they need no check. */
  enter(options: { mounted: boolean }): Promise<void>;
  /** Files that were too large to be restored before the command: it must not change them. */
  tooLarge(): readonly string[];
  /** Sets aside what is new or changed since the first of the running commands started. */
  check(): Promise<SetAside[]>;
  /** Calls back as soon as a repository's config changes; until the result is called. */
  followGit(onChange: () => void): () => void;
  /** Call after the last check for a command. */
  leave(): void;
  /** Announces an approved write; null for a deletion. */
  expect(file: string, content: Pick<Content, 'type' | 'bytes'> | null): void;
};

type Before = {
  seen: Map<string, Seen | null>;
  folders: ReadonlySet<string>;
  gits: ReadonlySet<string>;
  skip: ReadonlySet<string>;
  tooLarge: readonly string[];
};

type Checkouts = { checkouts: readonly string[] };

export function createStartupWatch({ roots, folder, home, judgeOf }: StartupWatchOptions): StartupWatch {
  const real = [...new Set(roots.map((root) => realPath(root)))];
  const search = createStartupSearch(real, { home, ...(judgeOf && { judgeOf }) });
  const contents = new Contents();
  let before: Before | null = null;
  let running = 0;
  let kept = 0;
  const inTurn = oneAtATime();

  /** A command could not have changed the target of a link out of the project. */
  function isOurs(file: string): boolean {
    const place = realPath(path.dirname(file));
    return [...real, ...(before?.gits ?? [])].some((root) => isInside(root, place));
  }

  function setAside(file: string, now: Content, concern: Concern): SetAside {
    const was = before?.seen.get(file)?.content ?? null;
    const keptAs = keep(path.join(folder, `${++kept}-${path.basename(file)}`), now.bytes);
    try {
      if (was) putContent(file, was);
      else {
        rmSync(file, { force: true });
        removeEmpty(path.dirname(file), { within: real, keep: before?.folders });
      }
    } catch (error) {
      if (!isErrno(error, ['ENOENT', 'ENOTDIR'])) throw error;
    }
    contents.forget(file);
    return { ...concern, path: file, before: was, after: now, keptAs };
  }

  function changeOf(place: Place, state: Before & Checkouts): { after: Content; concern: Concern } | null {
    const { path: file, because } = place;
    const was = state.seen.get(file);
    const now = contents.see(file);
    const after = now?.content ?? beginningOf(file);
    if (was === null || !after || !isOurs(file) || (was && isSame(was.content, after))) return null;
    const concern = now && place.judge ? place.judge(was?.content ?? null, after) : { because };
    if (concern !== null && (was || !isCheckedOut(file, after, { ...state, roots: real, contents })))
      return { after, concern };
    state.seen.set(file, now);
    return null;
  }

  return {
    enter: ({ mounted }) => {
      running += 1;
      return inTurn(async () => {
        if (before) return;
        const skip = new Set(mounted ? search.sealed() : []);
        const { files, folders, gits } = await search(skip);
        const seen = new Map(files.map((file) => [file.path, contents.see(file.path)]));
        before = { seen, folders, gits, skip, tooLarge: tooLargeOf(files, seen) };
      });
    },

    tooLarge: () => before?.tooLarge ?? [],

    check: () =>
      inTurn(async () => {
        if (!before) return [];
        const { files, checkouts } = await search(before.skip);
        const found: SetAside[] = [];
        const gone = new Set<string>();
        // Links come before their targets: without the link, the target is an ordinary file.
        for (const place of files.sort((a, b) => orderOf(a) - orderOf(b))) {
          if (gone.has(place.path) || (place.via !== undefined && gone.has(place.via))) continue;
          const changed = changeOf(place, { ...before, checkouts });
          if (!changed) continue;
          found.push(setAside(place.path, changed.after, changed.concern));
          gone.add(place.path);
        }
        return found;
      }),

    followGit(onChange) {
      const watchers = [...(before?.gits ?? [])].flatMap(
        (gitdir) => ifAccessible(() => [watchFolder(gitdir, onChange)]) ?? [],
      );
      return () => {
        for (const watcher of watchers) watcher.close();
      };
    },

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

function tooLargeOf(files: readonly Place[], seen: Before['seen']): string[] {
  const unseen = files.filter((file) => !file.judge && seen.get(file.path) === null);
  return unseen.map((file) => file.path).filter(isTooLarge);
}

type Project = Before & Checkouts & { roots: readonly string[]; contents: Contents };

/** Whether another checkout of the project has the same file as the project itself, as a new worktree does. */
function isCheckedOut(file: string, after: Content, project: Project): boolean {
  const { seen, skip, roots, contents } = project;
  const checkouts = project.checkouts.filter((one) => isInside(one, file));
  const checkout = checkouts.sort((a, b) => b.length - a.length)[0];
  if (checkout === undefined || roots.includes(checkout)) return false;
  return roots.some((root) => {
    const original = path.join(root, path.relative(checkout, file));
    // A sealed file is read-only for the command.
    const isSealed = [...skip].some((sealed) => isInside(sealed, original));
    const was = isSealed ? contents.see(original) : seen.get(original);
    return was ? isSame(was.content, after) : false;
  });
}

const REDIRECTING = /^(config|config\.worktree|commondir)$/;

function watchFolder(gitdir: string, onChange: () => void): FSWatcher {
  const watcher = watchPath(gitdir, { persistent: false }, (_, name) => {
    if (name === null || REDIRECTING.test(name)) onChange();
  });
  // The check when the command ends does not need it.
  return watcher.on('error', () => watcher.close());
}

type Emptied = { within: readonly string[]; keep: ReadonlySet<string> | undefined };

/** Removes folders that were created with the file and contain nothing else. */
function removeEmpty(from: string, { within, keep }: Emptied): void {
  for (let at = from; !keep?.has(at) && within.some((root) => root !== at && isInside(root, at)); ) {
    try {
      rmdirSync(at);
    } catch (error) {
      if (isErrno(error, ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY', 'ENOTDIR'])) return;
      throw error;
    }
    at = path.dirname(at);
  }
}

/** Shorter paths first, and files that count only because of a link last. */
function orderOf({ path: file, via }: Place): number {
  return file.length + (via === undefined ? 0 : Number.MAX_SAFE_INTEGER / 2);
}
