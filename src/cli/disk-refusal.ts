import { UserError } from '../contract/errors.ts';
import { LockedError } from '../lib/files/lock.ts';
import { NotRegularFileError } from '../lib/files/regular-file.ts';

const REFUSALS: Readonly<Record<string, [reason: string, hint: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space; run `aca sessions usage` to see what aca uses.'],
  EDQUOT: ['the disk quota is used up', 'Free some space; run `aca sessions usage` to see what aca uses.'],
  EROFS: ['the file system is read-only', 'Set AI_ASSISTANT_HOME to a writable folder.'],
  EACCES: ['its permissions do not allow it', 'Change its permissions.'],
  EPERM: ['its permissions do not allow it', 'Change its permissions.'],
  ENOTDIR: ['a part of its path is not a folder', 'Use another path.'],
  EISDIR: ['it is a folder', 'Use the path of a file.'],
  ELOOP: ['its links lead back to themselves', 'Use another path.'],
  ENAMETOOLONG: ['its path is too long', 'Use a shorter path.'],
  ENXIO: ['it is not a regular file', 'Use another path.'],
};

/** A folder that cannot be created although its parents exist, as in `/proc`. */
const NO_FOLDER = ['no folder can be created there', 'Use another path.'] as const;

/** Turns a disk or lock error into one that the user can fix; returns other errors unchanged. */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof LockedError)
    return new UserError(error.message, 'Try again when it is done.', { cause: error, exit: 'error' });
  if (error instanceof NotRegularFileError)
    return new UserError(error.message, 'Move it away.', { cause: error, exit: 'error' });
  const { code = '', path, dest = path, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  const refusal = syscall === 'mkdir' && ['ENOENT', 'EEXIST'].includes(code) ? NO_FOLDER : REFUSALS[code];
  if (!refusal || dest === undefined) return error;
  const [reason, hint] = refusal;
  return new UserError(`${dest} cannot be opened or written: ${reason}.`, hint, {
    cause: error,
    exit: 'error',
  });
}
