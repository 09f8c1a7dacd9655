import { type Dirent, readdirSync } from 'node:fs';
import { isErrno } from './real-path.ts';

/** Clocks of file systems are coarse: what changed this lately may change again within the same tick. */
const TICK_NS = 100_000_000n;

/** Whether a change at this time is so long ago that the next one will have another time. */
export function isSettled(changedNs: bigint): boolean {
  return BigInt(Date.now()) * 1_000_000n - changedNs > TICK_NS;
}

/** None for a folder that is gone, or not the user's to look into. */
export function entriesOf(folder: string): Dirent[] {
  return unlessClosed(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** Null for what is gone, or not the user's to look at. */
export function unlessClosed<Value>(look: () => Value): Value | null {
  try {
    return look();
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EISDIR'])) return null;
    throw error;
  }
}
