import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Syncs a folder's new names to disk. Not every system can sync a folder; file contents are safe regardless.
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
