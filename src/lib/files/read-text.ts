import { unlessErrno } from './errno.ts';
import { readRegularText } from './regular-file.ts';

const NOTHING_TO_READ = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'ENXIO'];

/** The text of a file, or null if there is none to read. */
export async function readTextIfAny(file: string): Promise<string | null> {
  return unlessErrno(NOTHING_TO_READ, null, () => readRegularText(file));
}
