import type { Stats } from 'node:fs';
import { lstatSync } from 'node:fs';
import type { Guard } from '../guard.ts';
import { readBytes, withRegular } from './open-file.ts';
import { isErrno } from './real-path.ts';

/** Does not follow links; null if nothing exists. */
export async function statOrNull(real: string): Promise<Stats | null> {
  try {
    // Synchronous: a thread switch takes fifty times as long as the call.
    return lstatSync(real);
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR'])) return null;
    throw error;
  }
}

export function readWhole(real: string, guard: Guard): Promise<Uint8Array> {
  return withRegular(real, guard, ({ fd, size }) => readBytes(fd, size));
}
