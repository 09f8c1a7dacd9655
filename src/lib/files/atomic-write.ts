import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder } from './private-folder.ts';
import { renameWithRetry } from './rename-with-retry.ts';
import { syncFolder } from './sync-folder.ts';

/** The file has either its old content or all of the new, whatever happens; parent folders are made. */
export async function writeAtomic(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const folder = path.dirname(file);
  // What only its user may read does not lie where others may look.
  if ((mode & 0o077) === 0) makePrivateFolder(folder);
  else await mkdir(folder, { recursive: true });
  const temporary = path.join(folder, `.${path.basename(file)}.tmp.${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(temporary, 'wx', mode);
    try {
      await handle.writeFile(content);
      // The creation mode is narrowed by the umask; this is not.
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
