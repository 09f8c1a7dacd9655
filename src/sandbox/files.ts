import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, chown, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PermissionDeniedError } from '../contract/errors.ts';
import type { FileStat, Files } from '../contract/tool.ts';
import { sha256 } from '../lib/sha256.ts';
import type { Guard, GuardMode } from './guard.ts';
import { openRegular, readBytes } from './open-file.ts';
import { isErrno } from './real-path.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;

export type FileChange = { path: string; before: Uint8Array | null; after: Uint8Array };

export type FilesOptions = {
  guard: Guard;
  cwd: string;
  /** Awaited after the new content is safely on disk and before it takes the old one's place; a throw stops the write. */
  onBeforeWrite?: (change: FileChange) => Promise<void>;
};

export function createFiles({ guard, cwd, onBeforeWrite }: FilesOptions): Files {
  /** Runs one deed on a guarded real path; the system's refusals become sentences. */
  async function at<T>(file: string, mode: GuardMode, deed: (real: string) => Promise<T>): Promise<T> {
    const real = await guard.check(file, mode);
    try {
      return await deed(real);
    } catch (error) {
      throw explained(error, `${mode} ${path.relative(cwd, real) || '.'}`);
    }
  }

  async function write(real: string, bytes: Uint8Array): Promise<void> {
    await mkdir(path.dirname(real), { recursive: true });
    const old = await statOrNull(real);
    if (old && !old.isFile()) throw new Error(`${real} is not a regular file; it cannot be written.`);
    // Renaming over a read-only file would succeed; its owner meant otherwise.
    if (old) await access(real, constants.W_OK);

    const temporary = path.join(path.dirname(real), `.aca-${randomBytes(8).toString('hex')}.tmp`);
    try {
      await writeSynced(temporary, bytes, old);
      await onBeforeWrite?.({ path: real, before: old ? await readWhole(real) : null, after: bytes });
      // The folders above may have become links since the first look.
      if ((await guard.check(real, 'write')) !== real) {
        throw new PermissionDeniedError({
          operation: `write ${real} (the path changed while it was being written)`,
        });
      }
      await rename(temporary, real);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  return {
    read: (file) =>
      at(file, 'read', async (real) => {
        const { handle, size } = await openRegular(real);
        try {
          if (size > MAX_FILE_BYTES) throw new Error(tooLarge(real, size));
          const bytes = await readBytes(handle, size);
          return { path: real, bytes, sha256: sha256(bytes) };
        } finally {
          await handle.close();
        }
      }),

    stat: (file) =>
      at(file, 'read', async (real) => {
        const stat = await statOrNull(real);
        return stat && toFileStat(real, stat);
      }),

    list: (file) =>
      at(file, 'read', async (real) => {
        const names = (await readdir(real)).sort();
        const stats = await Promise.all(names.map((name) => statEntry(path.join(real, name), guard)));
        return stats.filter((stat) => stat !== null);
      }),

    write: (file, bytes) => at(file, 'write', (real) => write(real, bytes)),
  };
}

/** A link counts as what it leads to, where the guard lets it be seen. */
async function statEntry(file: string, guard: Guard): Promise<FileStat | null> {
  const stat = await statOrNull(file);
  if (!stat?.isSymbolicLink() || !guard.allows(file, 'read')) return stat && toFileStat(file, stat);
  const target = await statOrNull(await guard.check(file, 'read'));
  return toFileStat(file, target ?? stat);
}

async function statOrNull(real: string): Promise<Stats | null> {
  try {
    return await lstat(real);
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR'])) return null;
    throw error;
  }
}

function toFileStat(file: string, stat: Stats): FileStat {
  return {
    path: file,
    type: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
    size: stat.size,
    modifiedMs: stat.mtimeMs,
  };
}

async function readWhole(real: string): Promise<Uint8Array> {
  const { handle, size } = await openRegular(real);
  try {
    return await readBytes(handle, size);
  } finally {
    await handle.close();
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

function tooLarge(file: string, size: number): string {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  return (
    `${file} is ${megabytes} MB; files up to 10 MB can be read whole. ` +
    'Use Grep to find the lines you need, or a command such as head, tail or sed -n to print a part of it.'
  );
}

const meanings: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ENXIO: 'it is a pipe, socket or device, not a regular file',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many files are open',
};

function explained(error: unknown, operation: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  if (['EACCES', 'EPERM', 'ELOOP'].includes(code)) {
    return new PermissionDeniedError({
      operation: `${operation} (the operating system refuses it: ${code})`,
    });
  }
  const meaning = meanings[code];
  return meaning === undefined ? error : new Error(`Cannot ${operation}: ${meaning}.`, { cause: error });
}
