import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** By its full name: what a project puts into the search path must not run here. */
const COPIERS = ['/usr/bin/cp', '/bin/cp'];

/**
 * Gives one open file the extended attributes and access lists of another. The runtime has no call for that; GNU cp has.
 * False when some could not be copied. Where there is no such program nobody knows of any, and they are lost.
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
