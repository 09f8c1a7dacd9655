import { UserError } from '../contract/errors.ts';

const REASONS: Readonly<Record<string, string>> = {
  ELOOP: 'it is a link to itself',
  EISDIR: 'it is a folder',
  ENXIO: 'it is a pipe, a socket or a device',
  EACCES: 'its permissions do not allow it',
  EPERM: 'its permissions do not allow it',
};

/** Why a user or project file cannot be read, and what to do about it. */
export function unreadable(file: string, error: unknown): UserError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const hint = code === 'EACCES' || code === 'EPERM' ? 'Change its permissions.' : 'Move it away.';
  return new UserError(`${file} cannot be read: ${REASONS[code] ?? message}.`, hint, { cause: error });
}
