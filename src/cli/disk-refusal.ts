import { UserError } from '../contract/errors.ts';
import { LockedError } from '../lib/files/lock.ts';
import { NotRegularFileError } from '../lib/files/regular-file.ts';

const REFUSALS: Readonly<Record<string, [reason: string, hint: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space; run `aca sessions usage` to see what aca uses.'],
  EDQUOT: ['the disk quota is used up', 'Free some space; run `aca sessions usage` to see what aca uses.'],
  EROFS: ['the file system is read-only', 'Set AI_ASSISTANT_HOME to a writable folder.'],
  EACCES: ['its permissions do not allow it', 'Change its permissions.'],
  EPERM: ['its permissions do not allow it', 'Change its permissions.'],
};

/** Turns a disk or lock error into one that the user can fix; returns other errors unchanged. */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof LockedError)
    return new UserError(error.message, 'Try again when it is done.', { cause: error, exit: 'error' });
  if (error instanceof NotRegularFileError)
    return new UserError(error.message, 'Move it away.', { cause: error, exit: 'error' });
  const { code = '', path, dest = path } = error as NodeJS.ErrnoException & { dest?: string };
  const refusal = REFUSALS[code];
  if (!refusal || dest === undefined) return error;
  const [reason, hint] = refusal;
  return new UserError(`${dest} cannot be opened or written: ${reason}.`, hint, {
    cause: error,
    exit: 'error',
  });
}
