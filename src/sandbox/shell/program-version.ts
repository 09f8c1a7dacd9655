import { execFile } from 'node:child_process';
import { programOutside } from './program-path.ts';

const TIME_MS = 3_000;

/** The first line that a program of the PATH tells of its version; null where there is none. */
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
      // A name is why it could not be started, a number how it ended. Where a folder of the PATH is closed to us, it is
      // EACCES that says there is none.
      if (typeof error?.code === 'string') resolve(null);
      else resolve(line === '' || error ? `${name}, which does not tell its version` : line.slice(0, 120));
    });
  });
}
