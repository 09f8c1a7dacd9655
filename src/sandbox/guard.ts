import { statSync } from 'node:fs';
import path from 'node:path';
import { PermissionDeniedError } from '../contract/errors.ts';
import { isInside } from '../lib/inside.ts';
import { pathMatcher, slashes } from './path-pattern.ts';
import { isErrno, realPath } from './real-path.ts';
import { secretRules } from './secrets.ts';

export type GuardMode = 'read' | 'write';

export type GuardOptions = {
  cwd: string;
  /** Folders the user opened beside the working directory. */
  additionalDirectories: readonly string[];
  /** Folders that may be read and never written: where long outputs are kept. */
  readableDirectories?: readonly string[];
  /** Closed by the user; nothing opens them again. */
  blockedPaths: readonly string[];
  /** The user's exceptions to the secret rules. They open nothing outside the allowed folders. */
  allowedPaths: readonly string[];
  home: string;
};

export type Guard = {
  /** The real path behind a path as written, or a `PermissionDeniedError` that says what and why. */
  check(file: string, mode: GuardMode): Promise<string>;
  /** The same judgement as a yes or no. */
  allows(file: string, mode: GuardMode): boolean;
  /** Whether a path as written really lies in a folder the user opened, whatever its name. */
  isInside(file: string): boolean;
  /** Why a real, absolute path of a file is closed by its name alone, or null. Does not look at the disk. */
  closedBecause(real: string, mode: GuardMode): string | null;
};

type Judgement = { type: 'open'; real: string } | { type: 'closed'; because: string };

/** `/dev/shm` is memory, and people do work in it. */
const SYSTEM_FOLDERS = /^\/(proc|sys|dev(?!\/shm\/))(\/|$)/;

export function createGuard(options: GuardOptions): Guard {
  const { cwd, home } = options;
  const roots = [cwd, ...options.additionalDirectories].map((folder) => realPath(absolute(folder)));
  const readable = (options.readableDirectories ?? []).map((folder) => realPath(absolute(folder)));
  const blocked = options.blockedPaths.map((pattern) => pathMatcher(pattern, { cwd, home }));
  const allowed = options.allowedPaths.map((pattern) => pathMatcher(pattern, { cwd, home }));

  function absolute(file: string): string {
    return path.resolve(
      cwd,
      file.replace(/^~(?=[/\\]|$)/, () => home),
    );
  }

  function isOpened(real: string, mode: GuardMode): boolean {
    const folders = mode === 'read' ? [...roots, ...readable] : roots;
    return folders.some((folder) => isInside(folder, real));
  }

  function closedByName(file: string, mode: GuardMode, isFolder: boolean): string | null {
    if (SYSTEM_FOLDERS.test(file)) return 'devices and the system’s own folders are closed';
    if (blocked.some((matches) => matches(file))) return 'the user blocked this path';
    const rule = secretRules.find(
      ({ of, match, mode: ruled }) =>
        (ruled === 'any' || ruled === mode) && !(of === 'file' && isFolder) && match.test(slashes(file)),
    );
    if (!rule || allowed.some((matches) => matches(file))) return null;
    return rule.because;
  }

  function judge(file: string, mode: GuardMode): Judgement {
    const because = malformed(file);
    if (because !== null) return { type: 'closed', because };
    const written = absolute(file);
    const real = resolved(written);
    if (real.type === 'closed') return real;

    const isFolder = folderAt(real.real);
    const closed = closedByName(written, mode, isFolder) ?? closedByName(real.real, mode, isFolder);
    if (closed !== null) return { type: 'closed', because: closed };
    if (isOpened(real.real, mode)) return real;
    const leads = real.real === written ? 'it is' : `it leads to ${real.real},`;
    return {
      type: 'closed',
      because: `${leads} outside the working directory ${cwd}; the user can open a folder with --add-dir`,
    };
  }

  return {
    async check(file, mode) {
      const judgement = judge(file, mode);
      if (judgement.type === 'open') return judgement.real;
      throw new PermissionDeniedError({ operation: `${mode} ${printable(file)} (${judgement.because})` });
    },
    allows: (file, mode) => judge(file, mode).type === 'open',
    isInside(file) {
      if (malformed(file) !== null) return false;
      const place = resolved(absolute(file));
      return place.type === 'open' && isOpened(place.real, 'read');
    },
    closedBecause: (real, mode) => closedByName(real, mode, false),
  };
}

function malformed(file: string): string | null {
  if (file === '') return 'the path is empty';
  if (file.includes('\0')) return 'the path contains a NUL byte';
  // Windows: `.env::$DATA` and `\\.\pipe` name a file or a device by other means than its path.
  if (path.sep === '\\' && /^[\\/]{2}[.?][\\/]|^.{2,}:/.test(file)) return 'streams and devices are closed';
  return null;
}

function resolved(written: string): Judgement {
  try {
    return { type: 'open', real: realPath(written) };
  } catch (error) {
    if (isErrno(error, ['ELOOP'])) return { type: 'closed', because: 'its links go round in a loop' };
    if (isErrno(error, ['ENAMETOOLONG'])) return { type: 'closed', because: 'the name is too long' };
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'closed', because: `it cannot be resolved: ${why}` };
  }
}

function folderAt(real: string): boolean {
  try {
    return statSync(real, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (error) {
    // What cannot be looked at is judged as a file: those rules are the stricter ones.
    if (isErrno(error, ['ENOTDIR', 'EACCES', 'EPERM'])) return false;
    throw error;
  }
}

function printable(file: string): string {
  return file.replaceAll('\0', '\\0');
}
