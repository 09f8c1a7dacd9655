import { existsSync } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isErrno } from '../../lib/files/errno.ts';

/**
 * Removes a folder of ours with everything in it, also folders that a program made read-only. Follows no links.
 * Another process may remove it at the same time.
 */
export async function removeFolder(folder: string): Promise<void> {
  const remove = async () => {
    // It gives up without an error where another process was faster.
    do await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    while (existsSync(folder));
  };
  try {
    await remove();
  } catch (error) {
    if (!isErrno(error, ['EACCES', 'EPERM', 'ENOTEMPTY'])) throw error;
    await makeWritable(folder);
    await remove();
  }
}

/** What the first attempt still removes may be gone. */
async function makeWritable(folder: string): Promise<void> {
  const entries = await chmod(folder, 0o700)
    .then(() => readdir(folder, { withFileTypes: true }))
    .catch((error) => {
      if (isErrno(error, ['ENOENT'])) return [];
      throw error;
    });
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(path.join(folder, entry.name));
}
