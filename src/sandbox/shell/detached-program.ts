import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { openToAppend } from '../../lib/files/regular-file.ts';

export type DetachedProgram = {
  command: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Its output is appended to this file. */
  log: string;
};

/** Starts a program that goes on after this one ends. `exited` resolves with its exit code if it ends before that. */
export function startDetached({ command, cwd, env, log }: DetachedProgram): {
  exited: Promise<number | null>;
} {
  const [file = '', ...args] = command;
  const output = openToAppend(log);
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
  child.unref();
  return { exited };
}
