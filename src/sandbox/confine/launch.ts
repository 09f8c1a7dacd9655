import type { SandboxState } from '../../contract/sandbox.ts';
import { withGitSettings } from '../../lib/paths/safe-git.ts';
import type { ShellProgram } from '../shell/shell-program.ts';
import { changingNothing, quietPerl } from './landlock.ts';

export type Variables = Readonly<Record<string, string>>;

/** A command to launch: its folder and environment. */
export type CommandLine = {
  command: string;
  folder: string;
  env: Variables;
  shell: ShellProgram;
  /** Maximum processes and threads; for sandboxes that can enforce it. */
  maxProcesses: number;
  /** Its standard input will be written to. */
  takesInput?: true;
  /** Real paths outside that were opened to it. */
  readable?: readonly string[];
  /** Files that it must not change. */
  sealed?: readonly string[];
  /** It may change the config of repositories. */
  gitConfig?: true;
  /** Whatever the level, it can write nothing and reach no network. */
  onlyReads?: true;
  /** It sees nothing of the projects. */
  apart?: true;
};

/** `tells`: the exit status is reported in a message, not only by a code. */
export type Launcher = { reportsExit: boolean };

/** The process to start for a command, and how to interpret its end. */
export type Launch = {
  file: string;
  args: string[];
  env: Variables;
  sandbox: SandboxState;
  /** The arguments are already quoted (Windows). */
  verbatim?: boolean;
  /**
   * The process is only a launcher: it ends with the processes inside, and ending it ends them at once. Its
   * stderr belongs to the launcher (see `exact-ending.ts`); the command's is descriptor 3.
   */
  launcher?: Launcher;
  /** Its seccomp filter, to be read from descriptor 4. */
  filter?: Buffer;
  /** Stops what signals do not reach. */
  end?(): Promise<void>;
};

/** Git LFS copies every file that it looks at; without it, such a file is shown as it is. */
function withoutLargeFiles(env: Variables): Variables {
  return withGitSettings(env, {
    'filter.lfs.clean': '',
    'filter.lfs.process': '',
    'filter.lfs.required': 'false',
  });
}

/**
 * Runs commands without a sandbox, with the user's own permissions; one that only reads cannot change files
 * even so, where the system can enforce that.
 */
export function hostLaunch({ command, env, shell, onlyReads }: CommandLine, sandbox: SandboxState): Launch {
  const [file, ...args] = (onlyReads && changingNothing([shell.file, ...shell.args(command)])) || [];
  if (file !== undefined) return { file, args, env: { ...withoutLargeFiles(env), ...quietPerl }, sandbox };
  return {
    file: shell.file,
    args: shell.args(command),
    env,
    sandbox,
    ...(shell.verbatim !== undefined && { verbatim: shell.verbatim }),
  };
}
