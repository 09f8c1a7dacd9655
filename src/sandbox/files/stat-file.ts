import type { Stats } from 'node:fs';
import { lstatSync } from 'node:fs';
import { unlessErrno } from '../../lib/files/errno.ts';
import type { Guard } from '../guard.ts';
import { readBytes, withRegular } from './open-file.ts';

/** Does not follow links; null if nothing exists. */
export async function statOrNull(real: string): Promise<Stats | null> {
  return unlessErrno(['ENOENT', 'ENOTDIR'], null, () => {
    // Synchronous: a thread switch takes fifty times as long as the call.
    return lstatSync(real);
  });
}

export function readWhole(real: string, guard: Guard): Promise<Uint8Array> {
  return withRegular(real, guard, ({ fd, size }) => readBytes(fd, size));
}
