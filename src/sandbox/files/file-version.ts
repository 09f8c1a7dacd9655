import { type BigIntStats, lstatSync } from 'node:fs';
import { isOnLocalDisk } from '../../lib/files/local-disk.ts';
import { isErrno } from './real-path.ts';

/** Longer than the grain of any system's clock; a disk that keeps no parts of a millisecond may count in two seconds. */
const FINE_GRAIN_MS = 50;
const COARSE_GRAIN_MS = 2_500;

/** Of the thing itself, a link included; null when nothing is there. */
export function exactStat(real: string): BigIntStats | null {
  try {
    return lstatSync(real, { bigint: true });
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR'])) return null;
    throw error;
  }
}

/**
 * A word that is another one after any change of the file. Undefined where none can be given: while the last change is
 * so fresh that one more could bear the same time, and on disks that other machines write to.
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
