import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { unlessErrno } from '../../lib/files/errno.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { counted } from '../../lib/text/counted.ts';
import { BUILT } from '../../session/undo/tree-walk.ts';

export type CopyOptions = {
  from: string;
  to: string;
  /** The path in the copy; null for one outside the folder. */
  at(file: string): string | null;
  /** Folders that are not copied: what the replay itself writes, and the data of the program. */
  without: readonly string[];
  /** Files that are newer and not in `known` are counted in a note. */
  ended: string;
  known: ReadonlySet<string>;
  notes: string[];
  /** Called with each folder that is linked instead of copied. */
  linked(folder: string): void;
};

/** A folder that tools can rebuild is linked instead of copied if it has more entries: that would take minutes. */
const MOST_COPIED = 200_000;
const MOST_NAMED = 3;

/** Copies a folder as far as it is readable. */
export function copyFolder(options: CopyOptions): void {
  const { from, to, without, ended, known, notes } = options;
  let newer = 0;
  const unreadable: string[] = [];
  const isInGit = (place: string) => path.relative(from, place).split(path.sep)[0] === '.git';

  const copyFile = (source: string, target: string): void => {
    const { atime, mtime } = lstatSync(source);
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
    utimesSync(target, atime, mtime);
    if (mtime.toISOString() > ended && !known.has(source) && !isInGit(source)) newer += 1;
  };
  const copyEntries = (source: string, target: string): void => {
    const names = readdirSync(source);
    const { mode } = lstatSync(source);
    makeFolder(target);
    chmodSync(target, (mode & 0o7777) | 0o700);
    for (const name of names) attempt(path.join(source, name), path.join(target, name));
    chmodSync(target, mode & 0o7777);
  };
  const copy = (source: string, target: string): void => {
    const stat = lstatSync(source);
    if (stat.isSymbolicLink()) symlinkSync(leadingTo(source, target, options), target);
    else if (stat.isFile()) {
      if (path.basename(source) === '.git' && leadsOut(source, from)) return;
      copyFile(source, target);
    } else if (stat.isDirectory()) {
      if (without.includes(source)) return;
      if (BUILT.has(path.basename(source)) && !isInGit(source) && isLarge(source)) {
        symlinkSync(source, target);
        options.linked(source);
        notes.push(`${path.relative(from, source)} is very large: the copy has a link to it.`);
        return;
      }
      copyEntries(source, target);
    }
  };
  const attempt = (source: string, target: string): void => {
    try {
      copy(source, target);
    } catch (error) {
      const { code, path: place } = error as NodeJS.ErrnoException;
      // Something may delete files meanwhile. What cannot be written is a failure of the whole.
      if (code === 'ENOENT' && !existsSync(source)) return;
      if ((code !== 'EACCES' && code !== 'EPERM') || (place !== undefined && isInside(to, place)))
        throw error;
      unreadable.push(path.relative(from, source) || '.');
    }
  };
  attempt(from, to);
  if (unreadable.length > 0) notes.push(`Not readable, so not in the copy: ${listed(unreadable)}.`);
  if (newer > 0)
    notes.push(
      `${counted(newer, 'file')} changed after the session ended and unknown to undo: taken as they are now.`,
    );
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A link that leads into the folder leads into the copy there. */
function leadingTo(source: string, target: string, { at }: Pick<CopyOptions, 'at'>): Buffer {
  return linkInCopy(readlinkSync(source, 'buffer'), { source, target, at });
}

/** What the link `source` must contain as `target` in the copy. */
export function linkInCopy(
  written: Buffer,
  { source, target, at }: { source: string; target: string; at: CopyOptions['at'] },
): Buffer {
  const text = written.toString();
  const place = path.resolve(path.dirname(source), text);
  const inCopy = at(place) ?? (existsSync(place) ? at(realpathSync(place)) : null);
  return inCopy === null || inCopy === path.resolve(path.dirname(target), text)
    ? written
    : Buffer.from(inCopy);
}

/** Whether the repository of a worktree or submodule is elsewhere: a copy of its `.git` would change that. */
function leadsOut(file: string, folder: string): boolean {
  const place = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  return path.isAbsolute(place) || !isInside(folder, path.resolve(path.dirname(file), place));
}

function isLarge(folder: string): boolean {
  let left = MOST_COPIED;
  const count = (place: string): void => {
    const entries = unlessErrno(['EACCES', 'EPERM', 'ENOENT'], [], () =>
      readdirSync(place, { withFileTypes: true }),
    );
    for (const entry of entries) {
      left -= 1;
      if (left < 0) return;
      if (entry.isDirectory()) count(path.join(place, entry.name));
    }
  };
  count(folder);
  return left < 0;
}

/** Also removes what is in folders that are closed to their owner. */
export async function removeCopy(folder: string): Promise<void> {
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    await remove();
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    openFolders(folder);
    await remove();
  }
}

function openFolders(folder: string): void {
  if (!lstatSync(folder).isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) openFolders(path.join(folder, entry.name));
}
