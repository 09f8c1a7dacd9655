import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Brings a folder's new names to the disk. Not every system lets a folder be synced; the contents are safe all the same.
 */
export function syncFolder(folder: string | Buffer): void {
  if (process.platform === 'win32') return;
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EACCES'].includes(code)) throw error;
  }
}
