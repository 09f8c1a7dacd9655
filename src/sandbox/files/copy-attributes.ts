import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** By full path: a program that a project puts into the PATH must not run here. */
const COPIERS = ['/usr/bin/cp', '/bin/cp'];

/**
 * Copies the extended attributes and ACLs of one open file to another. The runtime has no call for that; GNU
 * cp does. False if some could not be copied. Without such a program they are unknown and lost.
 */
export async function copyAttributes(from: number, to: number): Promise<boolean> {
  const copier = process.platform === 'linux' ? COPIERS.find((file) => existsSync(file)) : undefined;
  if (copier === undefined) return true;
  const child = spawn(
    copier,
    ['--attributes-only', '--preserve=mode,xattr', '--', '/dev/fd/3', '/dev/fd/4'],
    { stdio: ['ignore', 'ignore', 'pipe', from, to], env: { LC_ALL: 'C' } },
  );
  let complaint = '';
  child.stderr?.on('data', (data: Buffer) => {
    complaint += data.toString();
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(0));
    child.on('close', resolve);
  });
  return code === 0 || /unrecognized|invalid option|usage/i.test(complaint);
}
