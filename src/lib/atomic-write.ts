import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { patientRename } from './patient-rename.ts';
import { makePrivateFolder } from './private-folder.ts';

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
    await patientRename(temporary, file);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The new name is on the disk, too. Not every system lets a folder be synced; the content is safe all the same. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EACCES'].includes(code)) throw error;
  }
}
