import { lstatSync, mkdirSync } from 'node:fs';
import process from 'node:process';

/** Makes a folder, and those it is in, closed to other users from the first moment on. The one way to make our own. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Whether nobody but this user may write there. Windows keeps a user's folder to that user by other means. */
export function isPrivateFolder(folder: string): boolean {
  try {
    const stats = lstatSync(folder);
    const isOwn = stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
    return stats.isDirectory() && (process.platform === 'win32' || isOwn);
  } catch {
    return false;
  }
}
