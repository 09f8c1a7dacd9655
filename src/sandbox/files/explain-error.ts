import { PermissionDeniedError, UnusableFileError } from '../../contract/errors.ts';

const meanings: Record<string, string> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ENOTEMPTY: 'the folder is not empty',
  ENXIO: 'it is a pipe, socket or device, not a regular file',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  ESTALE: 'it was changed by another program in the meantime',
  EMFILE: 'too many files are open',
};

/** A system error as a sentence; any other error unchanged. */
export function explained(error: unknown, operation: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = String(error.code);
  if (['EACCES', 'EPERM', 'ELOOP'].includes(code)) {
    return new PermissionDeniedError({
      operation: `${operation} (refused by the operating system: ${code})`,
    });
  }
  const meaning = meanings[code];
  return meaning === undefined
    ? error
    : new UnusableFileError(`Cannot ${operation}: ${meaning}.`, { cause: error });
}
