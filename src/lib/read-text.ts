import { readFile } from 'node:fs/promises';

/** The text of a file, or null when there is none to read. */
export async function readTextIfAny(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (
      error.code === 'ENOENT' ||
      error.code === 'ENOTDIR' ||
      error.code === 'EISDIR' ||
      error.code === 'EACCES'
    )
      return null;
    throw error;
  });
}
