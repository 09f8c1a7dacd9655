import { UserError } from '../contract/errors.ts';
import { isErrno } from '../lib/files/errno.ts';
import { LockedError } from '../lib/files/lock.ts';
import { sentence } from '../lib/text/sentence.ts';

/** What can go wrong outside of our code: git, the disk, another process. */
export function isExpected(error: unknown): error is Error {
  return error instanceof UserError || error instanceof LockedError || isErrno(error);
}

/** What happened and what to do, in one line. */
export function reasonOf(error: Error): string {
  if (isErrno(error, ['ENOSPC', 'EDQUOT'])) return 'The disk is full. Free some space, and try again.';
  return error instanceof UserError ? `${sentence(error.message)} ${error.hint}` : error.message;
}
