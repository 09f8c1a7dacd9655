import { chmodSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isErrno } from '../../lib/files/errno.ts';

/** Removes a folder of ours with everything in it, also folders that a program made read-only. Follows no links. */
export function removeFolder(folder: string): void {
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    remove();
  } catch (error) {
    if (!isErrno(error, ['EACCES', 'EPERM', 'ENOTEMPTY'])) throw error;
    makeWritable(folder);
    remove();
  }
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(path.join(folder, entry.name));
}
