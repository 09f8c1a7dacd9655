import { type BigIntStats, lstatSync } from 'node:fs';
import { unlessErrno } from '../../lib/files/errno.ts';
import { isOnLocalDisk } from '../../lib/files/local-disk.ts';

/**
 * Longer than the resolution of any system's clock; a disk without sub-millisecond times may count in
 * two-second steps.
 */
const FINE_GRAIN_MS = 50;
const COARSE_GRAIN_MS = 2_500;

/** Does not follow links; null if nothing exists. */
export function exactStat(real: string): BigIntStats | null {
  return unlessErrno(['ENOENT', 'ENOTDIR'], null, () => lstatSync(real, { bigint: true }));
}

/**
 * A string that differs after any change of the file. Undefined if not certain: while the last change is so
 * recent that another could have the same time, and on disks that other machines write to.
 */
export function versionReader(): (real: string, stat: BigIntStats) => string | undefined {
  const local = new Map<bigint, boolean>();
  return (real, stat) => {
    const { dev, ino, size, mode, mtimeNs, ctimeNs } = stat;
    if (!stat.isFile() || Date.now() - Number(ctimeNs / 1_000_000n) < grainOf(ctimeNs)) return undefined;
    const isLocal = local.get(dev) ?? isOnLocalDisk(real);
    local.set(dev, isLocal);
    return isLocal ? [dev, ino, size, mode, mtimeNs, ctimeNs].join(':') : undefined;
  };
}

function grainOf(time: bigint): number {
  return time % 1_000_000n === 0n ? COARSE_GRAIN_MS : FINE_GRAIN_MS;
}
