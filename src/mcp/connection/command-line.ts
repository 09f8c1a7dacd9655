import { existsSync } from 'node:fs';
import { pathFolders, pathsOf, variable } from '../../lib/paths/path-folders.ts';

export type Launched = { file: string; args: string[]; verbatim: boolean };

type Wanted = {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  exists?(file: string): boolean;
};

/**
 * How a configured program is started. Usually by its name. Windows finds `npx` only with its extension, and
 * starts scripts such as `npx.cmd` only through cmd, which has its own quoting rules.
 */
export function launched({ command, args, env, platform, exists = existsSync }: Wanted): Launched {
  if (platform !== 'win32') return { file: command, args: [...args], verbatim: false };
  const file = findProgram(command, env, exists) ?? command;
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args: [...args], verbatim: false };
  // The name is parsed only by cmd; the arguments are parsed again by the script.
  const line = [forCmd(file), ...args.map((arg) => forCmd(forCmd(forProgram(arg))))].join(' ');
  const shell = variable(env, 'ComSpec', platform) ?? 'cmd.exe';
  return { file: shell, args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}

function findProgram(
  command: string,
  env: Wanted['env'],
  exists: (file: string) => boolean,
): string | undefined {
  const { join, extname, isAbsolute } = pathsOf('win32');
  const endings = (variable(env, 'PATHEXT', 'win32') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const names = extname(command) === '' ? endings.map((ending) => command + ending.toLowerCase()) : [command];
  const hasFolder = isAbsolute(command) || /[\\/]/.test(command);
  const places = hasFolder
    ? names
    : pathFolders(env, 'win32').flatMap((folder) => names.map((name) => join(folder, name)));
  return places.find(exists);
}

/** Quoting for how programs split their command line: in quotes, with backslashes doubled before a quote. */
function forProgram(arg: string): string {
  return `"${arg.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
}

/** Escapes characters that are special to cmd. */
function forCmd(text: string): string {
  return text.replaceAll(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}
