import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { programLine } from './program.ts';
import type { Workspace } from './workspace.ts';

/** The built program as `aca` in a separate folder; resolves with a PATH that starts with it. */
export async function acaOnPath(space: Workspace): Promise<string> {
  const folder = path.join(space.home, 'bin');
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'aca');
  const line = programLine([]).map((word) => `'${word}'`);
  await writeFile(file, `#!/bin/sh\nexec ${line.join(' ')} "$@"\n`);
  await chmod(file, 0o755);
  return [folder, process.env.PATH ?? ''].join(path.delimiter);
}

/** Whether a program is installed on this machine. */
export function isInstalled(name: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, name)));
}
