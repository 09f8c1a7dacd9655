import type { Stats } from 'node:fs';
import { lstatSync } from 'node:fs';
import type { Guard } from '../guard.ts';
import { readBytes, withRegular } from './open-file.ts';
import { isErrno } from './real-path.ts';

/** Of the thing itself, a link included; null when nothing is there. */
export async function statOrNull(real: string): Promise<Stats | null> {
  try {
    // At once: a trip to another thread and back takes fifty times as long as the question.
    return lstatSync(real);
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR'])) return null;
    throw error;
  }
}

export function readWhole(real: string, guard: Guard): Promise<Uint8Array> {
  return withRegular(real, guard, ({ fd, size }) => readBytes(fd, size));
}
