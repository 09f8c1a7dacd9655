import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, chown, copyFile, link, lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { PermissionDeniedError } from '../contract/errors.ts';
import type { Guard } from './guard.ts';
import { isErrno } from './real-path.ts';
import { readWhole, statOrNull } from './stat-file.ts';

/**
 * Null stands for nothing. `was` tells what stood there, if anything did; `before` is then a file's content, or the
 * target of a link, or empty for a folder.
 */
export type FileChange = {
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
  was?: { type: 'file' | 'link' | 'folder'; mode: number };
};

export type ChangeOptions = {
  guard: Guard;
  /** Awaited before a change is made; a throw stops it. */
  onBeforeWrite: ((change: FileChange) => Promise<void>) | undefined;
  /** Runs one step on a path; what the system refuses is told with that path. */
  step<T>(real: string, deed: () => Promise<T>): Promise<T>;
};

export type NewContent = { real: string; bytes: Uint8Array };

type Staged = NewContent & { temporary: string; backup: string; old: Stats | null; madeFolder?: string };

/**
 * Gives all of the files their new content, or none. Everything that can be refused is tried before the first file
 * changes: the new contents are on disk by then, and so are second names for the old ones.
 */
export async function writeFiles(changes: readonly NewContent[], options: ChangeOptions): Promise<void> {
  const { guard, onBeforeWrite, step } = options;
  const staged: Staged[] = [];
  const replaced: Staged[] = [];
  try {
    for (const change of changes) await step(change.real, () => stage(change, staged));
    for (const { real, bytes, old } of staged) {
      await step(real, async () => {
        const was = old && { was: { type: 'file' as const, mode: old.mode & 0o7777 } };
        await onBeforeWrite?.({
          path: real,
          before: old ? await readWhole(real) : null,
          after: bytes,
          ...was,
        });
      });
    }
    for (const { real, backup, old } of staged) {
      // The folders above may have become links since the first look.
      if ((await guard.check(real, 'write')) !== real) {
        throw new PermissionDeniedError({
          operation: `write ${real} (the path changed while it was being written)`,
        });
      }
      if (old && staged.length > 1) await step(real, () => keepAs(backup, real));
    }
    for (const item of staged) {
      await step(item.real, () => rename(item.temporary, item.real));
      replaced.push(item);
    }
  } catch (error) {
    const stranded = await putBack(replaced);
    for (const item of staged.filter((item) => !stranded.includes(item))) await cleanUp(item);
    if (stranded.length === 0) throw error;
    const places = stranded.map(({ real, backup }) => `${real} (its old content is in ${backup})`);
    throw new Error(`The write failed and could not be taken back for ${places.join(', ')}.`, {
      cause: error,
    });
  }
  for (const { backup } of staged) await rm(backup, { force: true });
}

/** Puts the new content beside the file. What it makes is in `staged` before it is made, to be cleaned up. */
async function stage({ real, bytes }: NewContent, staged: Staged[]): Promise<void> {
  const folder = path.dirname(real);
  const name = path.join(folder, `.aca-${randomBytes(8).toString('hex')}`);
  const item: Staged = { real, bytes, temporary: `${name}.tmp`, backup: `${name}.old`, old: null };
  staged.push(item);
  const made = await mkdir(folder, { recursive: true });
  if (made !== undefined) item.madeFolder = made;
  item.old = await statOrNull(real);
  if (item.old && !item.old.isFile()) throw new Error(`${real} is not a regular file; it cannot be written.`);
  // Renaming over a read-only file would succeed; its owner meant otherwise.
  if (item.old) await access(real, constants.W_OK);
  await writeSynced(item.temporary, bytes, item.old);
}

/** A second name costs nothing and keeps owner and times; not every file system has them. */
async function keepAs(backup: string, real: string): Promise<void> {
  await link(real, backup).catch(() => copyFile(real, backup, constants.COPYFILE_EXCL));
}

/** Gives files their old content again. Resolves with those where that failed, too. */
async function putBack(replaced: readonly Staged[]): Promise<Staged[]> {
  const stranded: Staged[] = [];
  for (const item of replaced.toReversed()) {
    const back = item.old ? rename(item.backup, item.real) : rm(item.real, { force: true });
    await back.catch(() => stranded.push(item));
  }
  return stranded;
}

async function cleanUp({ real, temporary, backup, madeFolder }: Staged): Promise<void> {
  await rm(temporary, { force: true });
  await rm(backup, { force: true });
  if (madeFolder === undefined) return;
  for (let folder = path.dirname(real); folder.startsWith(madeFolder); folder = path.dirname(folder)) {
    try {
      await rmdir(folder);
    } catch (error) {
      // Somebody else has put something there, or holds it; it is theirs now.
      if (isErrno(error, ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EACCES', 'EPERM', 'EBUSY'])) return;
      throw error;
    }
  }
}

/** A new file with the old one's mode and, where the system lets us, its owner. */
async function writeSynced(file: string, bytes: Uint8Array, old: Stats | null): Promise<void> {
  const handle = await open(file, 'wx', old ? 0o600 : 0o666);
  try {
    await handle.writeFile(bytes);
    if (old) {
      await keepOwner(file, old);
      await handle.chmod(old.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwner(file: string, old: Stats): Promise<void> {
  const made = await lstat(file);
  if (made.uid === old.uid && made.gid === old.gid) return;
  try {
    await chown(file, old.uid, old.gid);
  } catch (error) {
    // Only root may give files away; the content still counts more than the owner.
    if (!isErrno(error, ['EPERM', 'EINVAL', 'ENOSYS'])) throw error;
  }
}
