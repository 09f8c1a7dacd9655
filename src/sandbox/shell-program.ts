import { existsSync } from 'node:fs';
import path from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `verbatim`: the arguments are quoted already, by rules of the program's own (Windows). */
export type ShellProgram = {
  name: string;
  file: string;
  args(command: string): string[];
  verbatim?: boolean;
};

export function findShell(platform: NodeJS.Platform, env: Environment): ShellProgram {
  if (platform === 'win32') return findWindowsShell(env);
  const bash = ['/bin/bash', '/usr/bin/bash', ...onPath('bash', env)].find(existsSync);
  return { name: bash ? 'bash' : 'sh', file: bash ?? '/bin/sh', args: (command) => ['-c', command] };
}

function findWindowsShell(env: Environment): ShellProgram {
  const powershell = ['pwsh.exe', 'powershell.exe'].flatMap((name) => onPath(name, env)).find(existsSync);
  if (powershell) {
    return {
      name: 'powershell',
      file: powershell,
      args: (command) => ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', inPowerShell(command)],
    };
  }
  // With /s cmd takes off the outer quotes and leaves the rest as it is.
  const args = (command: string) => ['/d', '/s', '/c', `"${command}"`];
  return { name: 'cmd', file: env.ComSpec ?? env.COMSPEC ?? 'cmd.exe', args, verbatim: true };
}

/** Output in UTF-8, no progress bars among it, and the exit code of the last program instead of a bare 1. */
function inPowerShell(command: string): string {
  return [
    "[Console]::OutputEncoding = [Text.Encoding]::UTF8; $ProgressPreference = 'SilentlyContinue'",
    command,
    'if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }',
  ].join('\n');
}

function onPath(name: string, env: Environment): string[] {
  const folders = (env.PATH ?? env.Path ?? '').split(path.delimiter);
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, name));
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
