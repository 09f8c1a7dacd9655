import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathFolders, pathsOf, variable } from '../../lib/paths/path-folders.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `verbatim`: the arguments are quoted already, by rules of the program's own (Windows). */
export type ShellProgram = {
  name: string;
  file: string;
  args(command: string): string[];
  verbatim?: boolean;
};

/** `exists` looks at the disk. */
export function findShell(
  platform: NodeJS.Platform,
  env: Environment,
  exists: (file: string) => boolean = existsSync,
): ShellProgram {
  if (platform === 'win32') return findWindowsShell(env, exists);
  const bash = ['/bin/bash', '/usr/bin/bash', ...onPath('bash', env, platform)].find(exists);
  return { name: bash ? 'bash' : 'sh', file: bash ?? '/bin/sh', args: (command) => ['-c', command] };
}

/** Which shell will run commands, for those who read them. Only on Windows is it none of bash's kind. */
export function shellName(platform: NodeJS.Platform, env: Environment): string {
  return platform === 'win32' ? findShell(platform, env).name : 'bash';
}

/** Bash where somebody installed it, for that is what models write and what is judged best; else PowerShell, else cmd. */
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
  // With /s cmd takes off the outer quotes and leaves the rest as it is.
  const args = (command: string) => ['/d', '/s', '/c', `"${command}"`];
  return { name: 'cmd', file: variable(env, 'ComSpec', 'win32') ?? 'cmd.exe', args, verbatim: true };
}

/** Of Git for Windows, or of the PATH. What the system itself calls bash leads into WSL, where paths are other ones. */
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

/** Output in UTF-8, no progress bars among it, and the exit code of the last program instead of a bare 1. */
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

/** What a command must not find: colours, start-up scripts that run before it, and names that `hidden` lists. */
const removed = ['FORCE_COLOR', 'CLICOLOR_FORCE', 'BASH_ENV', 'ENV', 'PROMPT_COMMAND'];

/** Nobody is there to answer a prompt, turn a page or leave an editor. */
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

/** The environment of commands: the user's own, without keys and without anything that waits for a person. */
export function commandEnvironment(env: Environment, hidden: readonly string[]): Record<string, string> {
  const gone = new Set([...removed, ...hidden].map((name) => name.toUpperCase()));
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || gone.has(name.toUpperCase()) ? [] : [[name, value]],
  );
  return { ...Object.fromEntries(kept), ...added };
}
