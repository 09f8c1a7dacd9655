import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { PermissionDeniedError } from '../contract/errors.ts';
import { isErrno } from './real-path.ts';

/**
 * Opens a regular file by its real path for reading. What was opened is checked, not what stood there a moment
 * ago: a pipe, a device or a folder is refused without waiting, and so is a path that became a link meanwhile.
 */
export async function openRegular(real: string): Promise<{ handle: FileHandle; size: number; mode: number }> {
  // Non-blocking: opening a pipe that nobody writes to would wait for ever.
  const handle = await open(
    real,
    constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  );
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new Error(`${real} is a folder, not a file.`);
    if (!stat.isFile()) throw new Error(`${real} is a pipe, socket or device, not a regular file.`);
    if ((await pathOf(handle, real)) !== real) {
      throw new PermissionDeniedError({
        operation: `read ${real} (the path changed while it was being opened)`,
      });
    }
    return { handle, size: stat.size, mode: stat.mode };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Where an open file lives; Linux can tell exactly, elsewhere the path is resolved once more. */
async function pathOf(handle: FileHandle, real: string): Promise<string> {
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'])) return realpath(real);
    throw error;
  }
}

/** The first `size` bytes, or fewer when the file shrank since it was measured. */
export async function readBytes(handle: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
