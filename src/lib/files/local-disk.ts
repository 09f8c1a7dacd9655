import { statfsSync } from 'node:fs';

/**
 * File systems whose every change is made by this machine: ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs, ramfs;
 * apfs and hfs. What is not listed may be a network's, where times are kept elsewhere and changes come unseen.
 */
const LOCAL: Partial<Record<NodeJS.Platform, ReadonlySet<number>>> = {
  linux: new Set([
    0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x858458f6,
  ]),
  darwin: new Set([26, 17]),
};

/** Whether what stands at a path is on a disk of this machine, as far as can be told. */
export function isOnLocalDisk(place: string): boolean {
  try {
    return LOCAL[process.platform]?.has(statfsSync(place).type) ?? false;
  } catch {
    return false;
  }
}
