import { lstatSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { PermissionDeniedError } from '../contract/errors.ts';
import type { Opening, Reach } from '../contract/permission.ts';
import { oncePerTurn } from '../lib/async/once-per-turn.ts';
import { isErrno, unlessErrno } from '../lib/files/errno.ts';
import { foldPath } from '../lib/paths/fold-path.ts';
import { isInside } from '../lib/paths/inside.ts';
import { createAliases } from './files/aliases.ts';
import { pathMatcher, slashes } from './files/path-pattern.ts';
import { joined, realPath } from './files/real-path.ts';
import { type SecretRule, secretRule } from './secrets.ts';

export type GuardMode = 'read' | 'write';

export type GuardOptions = {
  cwd: string;
  /** Folders the user added to the working directory. */
  additionalDirectories: readonly string[];
  /** Folders that may be read and never written: where long outputs are stored. */
  readableDirectories?: readonly string[];
  /** Closed with everything in them except the readable ones, wherever they are: the assistant's own data. */
  closedDirectories?: readonly string[];
  /** Closed by the user; nothing opens them again. */
  blockedPaths: readonly string[];
  /** The user's exceptions to the secret rules. They open nothing outside the allowed folders. */
  allowedPaths: readonly string[];
  /** Whether a rule of the user forbids reading a real path, whatever path leads to it. */
  deniedReads?: (real: string) => boolean;
  /** Why something else closes a real path, or null. */
  alsoClosed?: (real: string, mode: GuardMode) => string | null;
  /** What commands in the sandbox can read now, by real paths outside the folders that are open. */
  commandView?(): (real: string) => boolean;
  /** Nothing outside the working directory can be opened for writing, whatever the user answers. */
  bounded?: boolean;
  home: string;
};

/** `itself`: a link at the end of the path is meant, not its target. */
type PathOptions = { itself?: boolean | undefined };

/** What was approved for a call: outside paths that it opens, and the paths it will write, as written. */
type CallScope = { opens: readonly Opening[]; writes: readonly string[] };

export type Guard = {
  /** The verdict before anything is accessed; `check` gives the same on access. */
  reach(file: string, mode: GuardMode, options?: PathOptions): Reach;
  /** The real path for a path as written, or a `PermissionDeniedError` with the reason. */
  check(file: string, mode: GuardMode, options?: PathOptions): Promise<string>;
  /** The same verdict as a boolean. */
  allows(file: string, mode: GuardMode): boolean;
  /** The same guard for one call. */
  forCall(scope: CallScope): Guard;
  /** Whether a path as written is really in a folder the user opened, whatever its name. */
  isInside(file: string): boolean;
  /** Whether commands in the sandbox can read a real path outside the folders that are open. */
  isShown(real: string): boolean;
  /** Where a path as written really leads, even if nothing exists there; null if it cannot be resolved. */
  realOf(file: string): string | null;
  /** Why the real, absolute path of a file is closed by its name alone, or null. Does not access the disk. */
  closedBecause(real: string, mode: GuardMode): string | null;
  /** Why a file is closed by its other names, or null. Free for a file with one name. */
  otherNameBecause(stat: Stats): string | null;
};

/** `/dev/shm` is memory, and people do work in it. macOS names files by number under `/.vol`. */
const SYSTEM_FOLDERS = /^\/(proc|sys|dev(?!\/shm\/)|\.vol|\.nofollow|\.resolve)(\/|$)/;
/** In characters; the kernel's own limit is in bytes. */
const MAX_PATH = 4096;
const GIT_FOLDER = /(^|\/)\.git(\/|$)/;
/** Splits a path into the folder and the last name. */
const LAST_NAME = path.sep === '\\' ? /^(.*[\\/])?([^\\/]+)[\\/]*$/s : /^(.*\/)?([^/]+)\/*$/s;

/** What is open to a call. */
type Opened = Pick<CallScope, 'opens'> & {
  roots: readonly string[];
  readable: readonly string[];
  isShown(real: string): boolean;
};

type Resolved = Exclude<Reach, { type: 'outside' }>;

export function createGuard(options: GuardOptions): Guard {
  const { cwd, home, deniedReads } = options;
  const base = { cwd, home };
  const real = (folders: readonly string[] = []) => folders.map((folder) => realPath(absolute(folder, base)));
  const roots = real([cwd, ...options.additionalDirectories]);
  const readable = real(options.readableDirectories);
  const closed = real(options.closedDirectories).map((folder) => foldPath(folder));
  const blocked = options.blockedPaths.map((pattern) => pathMatcher(pattern, base));
  const allowed = options.allowedPaths.map((pattern) => pathMatcher(pattern, base));
  const otherNames = createAliases({ roots, home, closedBecause: (file) => closedBecause(file, 'read') });

  const commandView = oncePerTurn(() => options.commandView?.() ?? (() => false));

  function isClosedFolder(file: string, mode: GuardMode): boolean {
    if (!closed.some((folder) => isInside(folder, foldPath(file)))) return false;
    return mode === 'write' || !readable.some((folder) => isInside(folder, file));
  }

  function closedBecause(file: string, mode: GuardMode, kind: SecretRule['of'] = 'file'): string | null {
    if (SYSTEM_FOLDERS.test(file)) return 'devices and system folders are protected';
    if (isClosedFolder(file, mode)) return 'aca stores its settings and sessions there';
    if (blocked.some((matches) => matches(file))) return 'the user blocked this path';
    const elsewhere = options.alsoClosed?.(file, mode) ?? null;
    if (elsewhere !== null) return elsewhere;
    if (mode === 'read' && deniedReads?.(file)) return 'a user rule denies reading it';
    const rule = secretRule(foldPath(slashes(file)), kind);
    if (!rule || allowed.some((matches) => matches(file))) return null;
    return rule.because;
  }

  function judge(file: string, mode: GuardMode, { itself, opened }: PathOptions & { opened: Opened }): Reach {
    const place = itself ? resolvedItself(file, base) : resolved(file, base);
    if (place.type === 'closed') return place;
    const written = path.resolve(absolute(file, base));
    const stat = statOf(place.real, itself ? lstatSync : statSync);
    const kind = stat?.isDirectory() ? 'folder' : 'file';
    const closedFor =
      closedBecause(written, mode, kind) ??
      (place.real === written ? null : closedBecause(place.real, mode, kind)) ??
      (stat && kind === 'file' ? otherNames.closedBecause(stat) : null);
    if (closedFor !== null) return { type: 'closed', because: closedFor };
    // An approval of the one path does not cover the other.
    if (mode === 'write' && isGits(place.real) && !isGits(written))
      return { type: 'closed', because: `it resolves to ${place.real}; use that path to write` };
    if (isOpened(place.real, mode, opened)) return place;
    const leads = place.real === written ? 'it is' : `it resolves to ${place.real},`;
    const because = `${leads} outside the working directory ${cwd}`;
    if (options.bounded && mode === 'write') return { type: 'closed', because };
    return { type: 'outside', real: place.real, isFolder: kind === 'folder', because };
  }

  function guardWith({ opens, writes }: CallScope): Guard {
    let view: ReturnType<typeof commandView> | undefined;
    // A call that reads many files sees the machine as it was at its first.
    const opened: Opened = {
      ...{ roots, readable, opens },
      isShown(real) {
        view ??= commandView();
        return view(real);
      },
    };
    const reach: Guard['reach'] = (file, mode, options) => judge(file, mode, { ...options, opened });
    return {
      reach,
      async check(file, mode, options) {
        const judgement = reach(file, mode, options);
        if (judgement.type === 'open') return judgement.real;
        // A call reads first what it will write; the refusal still says write.
        const verb = writes.includes(file) ? 'write' : mode;
        throw new PermissionDeniedError({
          operation: `${verb} ${printable(file)} (${judgement.because})`,
          by: 'path guard',
        });
      },
      allows: (file, mode) => reach(file, mode).type === 'open',
      forCall: guardWith,
      isInside(file) {
        const place = resolved(file, base);
        return place.type === 'open' && isOpened(place.real, 'read', opened);
      },
      isShown: (real) => commandView()(real),
      realOf(file) {
        const place = resolved(file, base);
        return place.type === 'open' ? place.real : null;
      },
      closedBecause: (file, mode) => closedBecause(file, mode) ?? outOfView(file, opened),
      otherNameBecause: (stat) => otherNames.closedBecause(stat),
    };
  }

  return guardWith({ opens: [], writes: [] });
}

function isOpened(place: string, mode: GuardMode, { roots, readable, opens, isShown }: Opened): boolean {
  const within = (folder: string) => contains(folder, place);
  if (roots.some(within) || (mode === 'read' && readable.some(within))) return true;
  const isFor = (opening: Opening) => mode === 'read' || opening.mode === 'write';
  const covers = ({ path: folder, onlyShown }: Opening) => within(folder) && (!onlyShown || isShown(place));
  return opens.some((opening) => isFor(opening) && covers(opening));
}

/** Why a file is closed although the folder around it is open, or null: only a part of that folder is. */
function outOfView(real: string, { roots, readable, opens, isShown }: Opened): string | null {
  const parts = opens.filter((opening) => opening.onlyShown && isInside(opening.path, real));
  if (parts.length === 0 || isShown(real)) return null;
  const whole = opens.flatMap((opening) => (opening.onlyShown ? [] : [opening.path]));
  const isOpen = [...roots, ...readable, ...whole].some((folder) => isInside(folder, real));
  return isOpen ? null : 'commands in the sandbox cannot read it';
}

type Base = Pick<GuardOptions, 'cwd' | 'home'>;

/** With `..` as written: after a link it is not what it seems. */
function absolute(file: string, { cwd, home }: Base): string {
  return joined(
    cwd,
    file.replace(/^~(?=[/\\]|$)/, () => home),
  );
}

/** Links in the path are followed, a link at the end is not. */
function resolvedItself(file: string, base: Base): Resolved {
  const [, folder = '', name = ''] = LAST_NAME.exec(file) ?? [];
  if (['', '.', '..', '~'].includes(name)) return resolved(file, base);
  const because = malformed(file);
  if (because !== null) return { type: 'closed', because };
  const parent = resolved(folder === '' ? '.' : folder, base);
  return parent.type === 'closed' ? parent : { type: 'open', real: path.join(parent.real, name) };
}

function resolved(file: string, base: Base): Resolved {
  const because = malformed(file);
  if (because !== null) return { type: 'closed', because };
  try {
    const written = absolute(file, base);
    const real = realPath(written);
    // Other code normalises the path without accessing the disk, and judges the result.
    if (/(^|[\\/])\.\.([\\/]|$)/.test(file) && realPath(path.resolve(written)) !== real)
      return { type: 'closed', because: `a .. after a link leads to ${real}; use that path instead` };
    return { type: 'open', real };
  } catch (error) {
    if (isErrno(error, ['ELOOP'])) return { type: 'closed', because: 'its links form a loop' };
    if (isErrno(error, ['ENAMETOOLONG'])) return { type: 'closed', because: 'the name is too long' };
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'closed', because: `it cannot be resolved: ${why}` };
  }
}

/** On a case-insensitive disk, a folder may have several spellings. */
function contains(folder: string, file: string): boolean {
  if (isInside(folder, file)) return true;
  if (!isInside(foldPath(folder), foldPath(file))) return false;
  const depth = folder.split(path.sep).length;
  const above = statOf(file.split(path.sep).slice(0, depth).join(path.sep));
  const stat = statOf(folder);
  return stat !== null && stat.ino === above?.ino && stat.dev === above.dev;
}

function isGits(file: string): boolean {
  return GIT_FOLDER.test(foldPath(slashes(file)));
}

function malformed(file: string): string | null {
  if (file === '') return 'the path is empty';
  if (file.length > MAX_PATH) return 'the name is too long';
  if (file.includes('\0')) return 'the path contains a NUL byte';
  // Windows: `.env::$DATA` and `\\.\pipe` name a file or a device other than by its path.
  if (path.sep === '\\' && /^[\\/]{2}[.?][\\/]|^.{2,}:/.test(file))
    return 'streams and devices are not allowed';
  // macOS: the content of a file under another name.
  if (/(^|\/)\.\.namedfork(\/|$)/i.test(file)) return 'file forks are not allowed';
  return null;
}

function statOf(real: string, read: typeof statSync | typeof lstatSync = statSync): Stats | null {
  // An inaccessible path is judged as a file: those rules are stricter.
  return unlessErrno(
    ['ENOTDIR', 'EACCES', 'EPERM'],
    null,
    () => read(real, { throwIfNoEntry: false }) ?? null,
  );
}

function printable(file: string): string {
  return file.replaceAll('\0', '\\0');
}
