import { lstatSync } from 'node:fs';
import process from 'node:process';
import { makeFolder } from './make-folder.ts';

/**
 * Creates a folder and its parents, private to this user from the start. Use it for all of our own folders.
 */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder, 0o700);
}

/** Whether only this user can write there. Windows protects user folders by other means. */
export function isPrivateFolder(folder: string): boolean {
  try {
    const stats = lstatSync(folder);
    const isOwn = stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0;
    return stats.isDirectory() && (process.platform === 'win32' || isOwn);
  } catch {
    return false;
  }
}
