import { readRegularText } from './regular-file.ts';

const NOTHING_TO_READ = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'ENXIO'];

/** The text of a file, or null if there is none to read. */
export async function readTextIfAny(file: string): Promise<string | null> {
  try {
    return readRegularText(file);
  } catch (error) {
    if (NOTHING_TO_READ.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
