import path from 'node:path';
import type { Program } from './connection/stdio.ts';

/** Runs a package, from the current folder, or from where that folder's config says. */
const NPX = /^npx(\.cmd|\.exe)?$/i;
const OTHER_RUNNERS = /^(bunx?|pnpx|pnpm|yarn|uvx?|pipx)(\.cmd|\.exe)?$/i;
const INTERPRETERS = /^(node|deno|python[\d.]*|ruby|perl|php|(ba|z|da|k)?sh)(\.exe)?$/i;

/**
 * A user's program as it may be started in an untrusted folder: only with the user's own files, never with
 * the folder's. `neutral` is an empty folder of ours. Throws if the program would be the folder's own.
 */
export function inUntrusted(program: Program, neutral: string): Program {
  const { command, args } = program;
  const name = path.basename(command);
  const env = { ...program.env, PATH: absoluteOnly(program.env.PATH ?? '') };
  if (command !== name && !path.isAbsolute(command)) throw new Error(ownProgram(command));
  if (NPX.test(name)) return { ...program, args: [`--prefix=${neutral}`, ...args], env };
  if (OTHER_RUNNERS.test(name)) return { ...program, cwd: neutral, env };
  const script = INTERPRETERS.test(name) ? args[0] : undefined;
  if (script !== undefined && !script.startsWith('-') && !path.isAbsolute(script))
    throw new Error(ownProgram(script));
  return { ...program, env };
}

function ownProgram(file: string): string {
  return `${file} is a program in this folder, which is not trusted; trust it with \`aca trust\`, or use an absolute path`;
}

function absoluteOnly(searched: string): string {
  return searched.split(path.delimiter).filter(path.isAbsolute).join(path.delimiter);
}
