import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { peek } from '../lib/files/peek.ts';

/** The folder that a flag names; an error if there is none. */
export function existingFolder(written: string, flag: string, cwd: string): string {
  const folder = path.resolve(cwd, written);
  if (peek.folder(folder) !== null) return folder;
  throw new UserError(`${folder} is not a folder.`, `Name an existing folder with ${flag}.`);
}
