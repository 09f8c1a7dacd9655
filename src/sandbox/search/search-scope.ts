import { closeSync, statSync } from 'node:fs';
import path from 'node:path';
import { UnusableFileError } from '../../contract/errors.ts';
import { openRegular } from '../files/open-file.ts';
import { openFolder } from '../files/open-folder.ts';
import type { Guard } from '../guard.ts';
import { PATH_START } from './grep-records.ts';

/**
 * What is searched: a folder, or one file in it. `root` ends with a separator. `cwd` and `fd` are the open
 * folder and file, so that nothing that replaces them meanwhile is searched.
 */
export type SearchScope = { real: string; root: string; cwd: string; file?: { fd: number; name: string } };

export async function withScope<T>(
  under: string,
  guard: Guard,
  deed: (scope: SearchScope) => Promise<T>,
): Promise<T> {
  const real = await guard.check(under, 'read');
  const place = statSync(real);
  const isFolder = place.isDirectory();
  // A pipe would block.
  if (!isFolder && !place.isFile())
    throw new UnusableFileError(`${under} is neither a file nor a folder; it cannot be searched.`);
  const root = isFolder ? real : path.dirname(real);
  const folder = openFolder(root);
  const scope = { real, root: root.endsWith(path.sep) ? root : root + path.sep, cwd: folder.at('.') };
  try {
    if (isFolder) return await deed(scope);
    const { fd } = openRegular(real, guard);
    try {
      return await deed({ ...scope, file: { fd, name: PATH_START + path.basename(real) } });
    } finally {
      closeSync(fd);
    }
  } finally {
    folder.close();
  }
}
