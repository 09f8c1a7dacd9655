import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from './errno.ts';
import { makePrivateFolder } from './private-folder.ts';
import { readRegularText } from './regular-file.ts';

/**
 * A random key, created once and saved in a file only its owner can read. If it cannot be saved, the key
 * lasts as long as the process.
 */
export function dataKey(file: string): string {
  const key = randomBytes(32).toString('hex');
  return unlessErrno('any', key, () => readKey(file) ?? makeKey(file, key));
}

function readKey(file: string): string | null {
  return unlessErrno(['ENOENT'], null, () => readRegularText(file).trim() || null);
}

/** Atomic: if two processes create it at once, both get the first one's key. */
function makeKey(file: string, key: string): string {
  makePrivateFolder(path.dirname(file));
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, `${key}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(temporary, file);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readKey(file) ?? key;
  } finally {
    rmSync(temporary, { force: true });
  }
}
