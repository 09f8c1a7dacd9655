import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathFolders, pathsOf, variable } from '../../lib/paths/path-folders.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `verbatim`: the arguments are already quoted, by the program's own rules (Windows). */
export type ShellProgram = {
  name: string;
  file: string;
  args(command: string): string[];
  verbatim?: boolean;
};

/** `exists` checks the disk. */
export function findShell(
  platform: NodeJS.Platform,
  env: Environment,
  exists: (file: string) => boolean = existsSync,
): ShellProgram {
  if (platform === 'win32') return findWindowsShell(env, exists);
  const bash = ['/bin/bash', '/usr/bin/bash', ...onPath('bash', env, platform)].find(exists);
  return { name: bash ? 'bash' : 'sh', file: bash ?? '/bin/sh', args: (command) => ['-c', command] };
}

/**
 * The name of the shell that runs commands, for display. Only on Windows may it be incompatible with bash.
 */
export function shellName(platform: NodeJS.Platform, env: Environment): string {
  return platform === 'win32' ? findShell(platform, env).name : 'bash';
}

/** Bash if installed, because models write it and the judge knows it best; else PowerShell, else cmd. */
function findWindowsShell(env: Environment, exists: (file: string) => boolean): ShellProgram {
  const bash = windowsBash(env).find(exists);
  if (bash) return { name: 'bash', file: bash, args: (command) => ['-c', command] };
  const powershell = ['pwsh.exe', 'powershell.exe']
    .flatMap((name) => onPath(name, env, 'win32'))
    .find(exists);
  if (powershell) {
    return {
      name: 'powershell',
      file: powershell,
      args: (command) => ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', inPowerShell(command)],
    };
  }
  // With /s cmd strips the outer quotes and leaves the rest unchanged.
  const args = (command: string) => ['/d', '/s', '/c', `"${command}"`];
  return { name: 'cmd', file: variable(env, 'ComSpec', 'win32') ?? 'cmd.exe', args, verbatim: true };
}

/** From Git for Windows, or from PATH. The system's own bash runs in WSL, where paths differ. */
function windowsBash(env: Environment): string[] {
  const homes = [
    ...['ProgramFiles', 'ProgramFiles(x86)'].map((name) => variable(env, name, 'win32')),
    path.win32.join(variable(env, 'LOCALAPPDATA', 'win32') ?? '', 'Programs'),
  ];
  const ofGit = homes
    .filter((home) => home !== undefined && path.win32.isAbsolute(home))
    .map((home) => path.win32.join(home ?? '', 'Git', 'bin', 'bash.exe'));
  const others = onPath('bash.exe', env, 'win32').filter(
    (file) => !/\\(system32|sysnative|windowsapps)\\bash\.exe$/i.test(file),
  );
  return [...ofGit, ...others];
}

/** Output in UTF-8, without progress bars, and the exit code of the last program instead of a bare 1. */
function inPowerShell(command: string): string {
  return [
    "[Console]::OutputEncoding = [Text.Encoding]::UTF8; $ProgressPreference = 'SilentlyContinue'",
    command,
    'if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }',
  ].join('\n');
}

function onPath(name: string, env: Environment, platform: NodeJS.Platform): string[] {
  return pathFolders(env, platform).map((folder) => pathsOf(platform).join(folder, name));
}

/** Removed from the environment of commands: colours, startup scripts, and the names in `hidden`. */
const removed = ['FORCE_COLOR', 'CLICOLOR_FORCE', 'BASH_ENV', 'ENV', 'PROMPT_COMMAND'];

/** No user is available to answer a prompt, page or quit an editor. */
const added = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  NO_COLOR: '1',
  TERM: 'dumb',
};

/** The environment of commands: the user's own, without keys and interactive programs. */
export function commandEnvironment(env: Environment, hidden: readonly string[]): Record<string, string> {
  const gone = new Set([...removed, ...hidden].map((name) => name.toUpperCase()));
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || gone.has(name.toUpperCase()) ? [] : [[name, value]],
  );
  return { ...Object.fromEntries(kept), ...added };
}
