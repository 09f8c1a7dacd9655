import { type Dirent, readdirSync } from 'node:fs';
import { unlessErrno } from '../../lib/files/errno.ts';

/** File system clocks are coarse: a recent change may be followed by another within the same tick. */
const TICK_NS = 100_000_000n;

/** Whether a change is old enough that the next one will have a different time. */
export function isSettled(changedNs: bigint): boolean {
  return BigInt(Date.now()) * 1_000_000n - changedNs > TICK_NS;
}

/** Empty for a missing or unreadable folder. */
export function entriesOf(folder: string): Dirent[] {
  return ifAccessible(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

const INACCESSIBLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EISDIR', 'ENAMETOOLONG'];

/** Null for a missing or unreadable path. */
export function ifAccessible<Value>(read: () => Value): Value | null {
  return unlessErrno(INACCESSIBLE, null, () => read());
}
