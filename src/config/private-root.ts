import { chmodSync, lstatSync, type Stats, statSync } from 'node:fs';
import { UserError } from '../contract/errors.ts';

const ELSEWHERE = 'Move it away, or set AI_ASSISTANT_HOME to a folder of your own.';

/**
 * Ensures, before anything is read there, that only the user can access the data root. A missing one is not
 * created: the first write creates it private.
 */
export function keepDataRootPrivate(root: string): void {
  if (process.platform === 'win32') return;
  const { link, stat } = lookAt(root);
  if (!link || !stat) return;
  const user = process.getuid?.() ?? 0;
  if (link.isSymbolicLink() && link.uid !== user && link.uid !== 0)
    throw new UserError(`${root} is a link created by another user.`, ELSEWHERE);
  if (!stat.isDirectory()) throw new UserError(`${root} is not a folder.`, ELSEWHERE);
  if ((stat.mode & 0o077) === 0) return;
  try {
    chmodSync(root, 0o700);
  } catch (error) {
    // A folder owned by another user, or a file system without modes: it is used anyway, and `aca doctor`
    // reports it.
    if (!['EPERM', 'EROFS', 'ENOTSUP', 'ENOSYS'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

/** The entry itself, and its target if it is a link. */
function lookAt(root: string): { link: Stats | undefined; stat: Stats | undefined } {
  try {
    const link = lstatSync(root, { throwIfNoEntry: false });
    return { link, stat: link?.isSymbolicLink() ? statSync(root, { throwIfNoEntry: false }) : link };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!['ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'].includes(code)) throw error;
    throw new UserError(`${root} cannot be used: ${message}.`, ELSEWHERE, { cause: error });
  }
}
