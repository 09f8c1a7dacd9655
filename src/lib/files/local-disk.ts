import { statfsSync } from 'node:fs';

/**
 * File systems that only this machine changes: ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs, ramfs;
 * apfs and hfs. Any other may be a network file system, with the server's clock and unnoticed changes.
 */
const LOCAL: Partial<Record<NodeJS.Platform, ReadonlySet<number>>> = {
  linux: new Set([
    0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x858458f6,
  ]),
  darwin: new Set([26, 17]),
};

/** Whether a path is on a local disk, as far as can be determined. */
export function isOnLocalDisk(place: string): boolean {
  try {
    return LOCAL[process.platform]?.has(statfsSync(place).type) ?? false;
  } catch {
    return false;
  }
}
