import { randomBytes } from 'node:crypto';
import { accessSync, constants, linkSync, renameSync, rmdirSync, rmSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { PermissionDeniedError } from '../contract/errors.ts';
import type { FileChange } from '../contract/file-change.ts';
import type { Guard } from './guard.ts';
import { NO_LINKS } from './open-file.ts';
import { type MadeFolder, makeFolder } from './open-folder.ts';
import { isErrno } from './real-path.ts';
import { readWhole, statOrNull } from './stat-file.ts';

export type ChangeOptions = {
  guard: Guard;
  /** Awaited before a change is made; a throw stops it. */
  onBeforeWrite: ((change: FileChange) => Promise<void>) | undefined;
  /** Runs one step on a path; what the system refuses is told with that path. */
  step<T>(real: string, deed: () => Promise<T>): Promise<T>;
};

export type NewContent = { real: string; bytes: Uint8Array };

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_LINKS;

/** All names are within `folder`, which is held open from the first look to the last. */
type Staged = NewContent & {
  folder: MadeFolder;
  name: string;
  temporary: string;
  backup: string;
  old: Stats | null;
};

/**
 * Gives all of the files their new content, or none. Everything that can be refused is tried before the first file
 * changes: the new contents are on disk by then, and so are second names for the old ones. Nothing is ever made or
 * replaced through a link, whoever puts one in the way meanwhile.
 */
export async function writeFiles(changes: readonly NewContent[], options: ChangeOptions): Promise<void> {
  const staged: Staged[] = [];
  try {
    await writeStaged(changes, staged, options);
    for (const item of staged) if (staged.length > 1) rmSync(placeOf(item, 'backup'), { force: true });
  } finally {
    for (const { folder } of staged) folder.close();
  }
}

async function writeStaged(
  changes: readonly NewContent[],
  staged: Staged[],
  { guard, onBeforeWrite, step }: ChangeOptions,
): Promise<void> {
  const replaced: Staged[] = [];
  try {
    for (const change of changes) await step(change.real, () => stage(change, guard, staged));
    for (const { real, bytes, old, folder } of staged) {
      await step(real, async () => {
        const was = old && { was: { type: 'file' as const, mode: old.mode & 0o7777 } };
        await onBeforeWrite?.({
          path: real,
          before: old ? await readWhole(real, guard) : null,
          after: bytes,
          ...was,
          ...(folder.made !== undefined && { madeFolders: foldersBetween(folder.made, path.dirname(real)) }),
        });
      });
    }
    for (const item of staged) {
      await step(item.real, () => mustStandThere(item, guard));
      if (item.old && staged.length > 1) await step(item.real, () => keepOld(item, guard));
    }
    for (const item of staged) {
      await step(item.real, async () => renameSync(placeOf(item, 'temporary'), placeOf(item, 'name')));
      replaced.push(item);
    }
  } catch (error) {
    const stranded = putBack(replaced);
    for (const item of staged.filter((item) => !stranded.includes(item))) cleanUp(item);
    if (stranded.length === 0) throw error;
    const places = stranded.map(
      ({ real, backup }) => `${real} (its old content is in ${path.join(path.dirname(real), backup)})`,
    );
    throw new Error(`The write failed and could not be taken back for ${places.join(', ')}.`, {
      cause: error,
    });
  }
}

/** Both ends included, the outermost first. */
function foldersBetween(outermost: string, innermost: string): string[] {
  const folders = [innermost];
  for (let at = innermost; at !== outermost && at !== path.dirname(at); at = path.dirname(at))
    folders.unshift(path.dirname(at));
  return folders;
}

/** Puts the new content beside the file. What it makes is in `staged` before it is made, to be cleaned up. */
async function stage({ real, bytes }: NewContent, guard: Guard, staged: Staged[]): Promise<void> {
  const folder = makeFolder(path.dirname(real));
  const beside = `.aca-${randomBytes(8).toString('hex')}`;
  const item: Staged = {
    ...{ real, bytes, folder, name: path.basename(real), old: null },
    ...{ temporary: `${beside}.tmp`, backup: `${beside}.old` },
  };
  staged.push(item);
  item.old = await statOrNull(placeOf(item, 'name'));
  if (item.old) mustBeWritable(item, item.old, guard);
  await writeSynced(placeOf(item, 'temporary'), bytes, item.old);
}

function placeOf(item: Staged, which: 'name' | 'temporary' | 'backup'): string {
  return item.folder.at(item[which]);
}

function mustBeWritable(item: Staged, old: Stats, guard: Guard): void {
  if (!old.isFile()) throw new Error(`${item.real} is not a regular file; it cannot be written.`);
  const because = guard.otherNameBecause(old);
  if (because !== null)
    throw new PermissionDeniedError({ operation: `write ${item.real} (${because})`, by: 'path guard' });
  // Renaming over a read-only file would succeed; its owner meant otherwise.
  accessSync(placeOf(item, 'name'), constants.W_OK);
}

/** The folder that is held may have been moved, and another put in its place; or the file has been changed. */
async function mustStandThere(item: Staged, guard: Guard): Promise<void> {
  const { real, folder, old } = item;
  if ((await guard.check(real, 'write')) !== real || !folder.isStillThere()) {
    throw new PermissionDeniedError({
      operation: `write ${real} (the path changed while it was being written)`,
      by: 'path guard',
    });
  }
  const now = await statOrNull(placeOf(item, 'name'));
  if (now?.ino !== old?.ino || now?.size !== old?.size || now?.mtimeMs !== old?.mtimeMs)
    throw Object.assign(new Error('Somebody else changed the file.'), { code: 'ESTALE' });
}

/** A second name costs nothing and keeps owner and times; not every file system has them. */
async function keepOld(item: Staged, guard: Guard): Promise<void> {
  try {
    linkSync(placeOf(item, 'name'), placeOf(item, 'backup'));
  } catch (error) {
    if (!isErrno(error, ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EXDEV', 'EACCES']))
      throw error;
    await writeSynced(placeOf(item, 'backup'), await readWhole(item.real, guard), item.old);
  }
}

/** Gives files their old content again. Returns those where that failed, too. */
function putBack(replaced: readonly Staged[]): Staged[] {
  return replaced.toReversed().filter((item) => {
    try {
      if (item.old) renameSync(placeOf(item, 'backup'), placeOf(item, 'name'));
      else rmSync(placeOf(item, 'name'), { force: true });
      return false;
    } catch {
      // Said by the caller, with the place where the old content is.
      return true;
    }
  });
}

function cleanUp(item: Staged): void {
  const { real, folder } = item;
  for (const which of ['temporary', 'backup'] as const) rmSync(placeOf(item, which), { force: true });
  if (folder.made === undefined) return;
  for (let made = path.dirname(real); made.startsWith(folder.made); made = path.dirname(made)) {
    try {
      rmdirSync(made);
    } catch (error) {
      // Somebody else has put something there, or holds it; it is theirs now.
      if (isErrno(error, ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EBUSY'])) return;
      throw error;
    }
  }
}

/** A new file with the old one's mode and, where the system lets us, its owner. */
async function writeSynced(place: string, bytes: Uint8Array, old: Stats | null): Promise<void> {
  const handle = await open(place, NEW_FILE, old ? 0o600 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (old) {
      await keepOwner(handle, old);
      await handle.chmod(old.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwner(handle: FileHandle, old: Stats): Promise<void> {
  const made = await handle.stat();
  if (made.uid === old.uid && made.gid === old.gid) return;
  try {
    await handle.chown(old.uid, old.gid);
  } catch (error) {
    // Only root may give files away; the content still counts more than the owner.
    if (!isErrno(error, ['EPERM', 'EINVAL', 'ENOSYS'])) throw error;
  }
}
