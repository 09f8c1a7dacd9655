import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { onTestFinished } from 'vitest';

/** Why no file system can be mounted here, or null. */
export const noMount: string | null = whyNoMount();

function whyNoMount(): string | null {
  if (process.platform !== 'linux') return 'tmpfs is for Linux';
  if (process.getuid?.() !== 0) return 'only root may mount';
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], {
      stdio: 'pipe',
      timeout: 5_000,
    });
    return null;
  } catch (error) {
    return `mounting does not work here: ${error instanceof Error ? error.message.trim() : String(error)}`;
  }
}

type SmallDisk = { fill(freeBytes: number): void; empty(): void; readOnly(): void };

/** A small file system mounted there, unmounted at the end of the test. */
export function smallDisk(place: string, bytes: number): SmallDisk {
  mkdirSync(place, { recursive: true });
  mount(['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', place]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', place]));
  const ballast = `${place}/ballast`;
  return {
    fill(freeBytes) {
      const { bavail, bsize } = statfsSync(place);
      execFileSync('fallocate', ['-l', String(Math.max(bsize, bavail * bsize - freeBytes)), ballast]);
    },
    empty: () => rmSync(ballast, { force: true }),
    readOnly: () => mount(['-o', 'remount,ro', place]),
  };
}

function mount(args: string[]): void {
  execFileSync('mount', args, { stdio: 'pipe' });
}
