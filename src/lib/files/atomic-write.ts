import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from './make-folder.ts';
import { makePrivateFolder } from './private-folder.ts';
import { renameWithRetry } from './rename-with-retry.ts';
import { syncFolder } from './sync-folder.ts';

/** Atomic: readers see either the old or the complete new content. Creates parent folders. */
export async function writeAtomic(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const folder = path.dirname(file);
  // A private file needs a private folder.
  if ((mode & 0o077) === 0) makePrivateFolder(folder);
  else makeFolder(folder);
  const temporary = path.join(folder, `.${path.basename(file)}.tmp.${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(content);
      // Unlike the creation mode, chmod is not affected by the umask.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameWithRetry(temporary, file);
    syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
