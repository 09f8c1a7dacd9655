import { execFile } from 'node:child_process';
import { programOutside } from './program-path.ts';

const TIME_MS = 3_000;

/** The first line of a program's version output; null if there is no such program. */
export function programVersion(
  name: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
  timeMs = TIME_MS,
): Promise<string | null> {
  const program = programOutside(name, cwd, env);
  if (program === null) return Promise.resolve(null);
  return new Promise((resolve) => {
    const options = { env: { ...env }, timeout: timeMs, windowsHide: true };
    execFile(program, ['--version'], options, (error, stdout) => {
      const line = stdout.trim().split('\n')[0] ?? '';
      // A string code says why it could not be started, a number is its exit code. EACCES means not found if
      // a folder of PATH is inaccessible.
      if (typeof error?.code === 'string') resolve(null);
      else resolve(line === '' || error ? `${name} (unknown version)` : line.slice(0, 120));
    });
  });
}
