import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { cleanEnv } from './aca.ts';
import { program } from './program.ts';
import type { Workspace } from './workspace.ts';

const NOBODY = 65_534;

/** Runs the program as an ordinary user, who then owns the workspace. Null if this checkout is closed to others. */
export async function acaAsNobody(space: Workspace, args: string[], env: Record<string, string>) {
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, path.dirname(space.root)]);
  const line = program(args);
  const child = spawn(line.file, line.args, {
    cwd: space.root,
    env: cleanEnv(space, env),
    uid: NOBODY,
    gid: NOBODY,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return /EACCES.*main\.cjs|Cannot find module/.test(out.stderr) ? null : { code, ...out };
}
