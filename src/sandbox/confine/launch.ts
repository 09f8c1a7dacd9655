import type { SandboxState } from '../../contract/sandbox.ts';
import type { ShellProgram } from '../shell/shell-program.ts';

export type Variables = Readonly<Record<string, string>>;

/** A command on its way: where it is to run, and what it finds in its environment. */
export type CommandLine = {
  command: string;
  folder: string;
  env: Variables;
  shell: ShellProgram;
  /** Of processes and threads at once; for kinds of sandboxes that can hold a command to it. */
  maxProcesses: number;
  /** Something is written to its standard input. */
  takesInput?: true;
  /** Real paths outside that were opened to it. */
  readable?: readonly string[];
};

/** `tells`: how the command ended is said on the way out, not only by a code. */
export type Door = { tells: boolean };

/** The process to start for a command, and what there is to know about its end. */
export type Launch = {
  file: string;
  args: string[];
  env: Variables;
  sandbox: SandboxState;
  /** The arguments are quoted already (Windows). */
  verbatim?: boolean;
  /**
   * The process is only the door: it ends with what is inside, and ending it ends all of that at once. Its
   * standard error is the door's own (see `exact-ending.ts`); the command's comes out of descriptor 3.
   */
  door?: Door;
  /** Written to descriptor 4 of the process: which system calls it may make. */
  filter?: Buffer;
  /** Ends what signals do not reach. */
  end?(): Promise<void>;
  /** Once the command has ended. */
  after?(): void;
};

/** Commands as they are, with no other walls than the user's own permissions. */
export function hostLaunch({ command, env, shell }: CommandLine, sandbox: SandboxState): Launch {
  return {
    file: shell.file,
    args: shell.args(command),
    env,
    sandbox,
    ...(shell.verbatim !== undefined && { verbatim: shell.verbatim }),
  };
}
