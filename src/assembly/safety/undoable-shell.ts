import type { Scope } from '../../agent/router-deps.ts';
import type { CommandOutcome, CommandRun, Shell } from '../../contract/tool.ts';
import type { Command } from '../../session/undo/credit.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';

export type UndoableShellOptions = {
  undo: Pick<UndoStore, 'commandReads' | 'commandBegins' | 'commandEnded' | 'continuesInBackground'>;
  /** Runs commands that may change something. */
  changing: Pick<Shell, 'run' | 'start'>;
  /** The default working directory of commands. */
  cwd: string;
  /** Whether a command is certainly read-only. */
  isHarmless(command: string): boolean;
  /** Changes to the environment of such a command. */
  environmentOf(command: string): NonNullable<CommandRun['env']>;
  /** Called with what cannot be undone. */
  onNotice(text: string): void;
};

type Wanted = Parameters<Shell['start']>[0];

/** In a large folder the state is saved for seconds, once: the user should not take that for the command. */
const RECORDING = 'Recording the files of this folder for undo; the command starts after that…\n';
const SLOW_MS = 1_000;

/**
 * Commands that are allowed because they only read change nothing, and run no programs that a repository
 * configures or a project contains. Changes by all others can be undone: the state of the working directory
 * is saved before each.
 */
export function undoableShell<S extends Shell>(shell: S, options: UndoableShellOptions): S {
  const { undo, changing, isHarmless, environmentOf, onNotice } = options;

  /** Commands of several agents may overlap: they are undone together. */
  let beginning: Promise<string[]> | undefined;
  let running = 0;
  let commands: Command[] = [];
  let startedAt = 0;

  async function undoably<T>(
    command: Command,
    deed: () => Promise<T>,
    { signal, onOutput }: Partial<Pick<CommandRun, 'signal' | 'onOutput'>> = {},
  ): Promise<T> {
    running += 1;
    commands.push(command);
    try {
      const isFirst = beginning === undefined;
      beginning ??= undo.commandBegins(signal);
      const slow = setTimeout(() => onOutput?.(RECORDING), SLOW_MS);
      const notices = await beginning.finally(() => clearTimeout(slow));
      if (isFirst) {
        startedAt = performance.now();
        for (const notice of notices) onNotice(notice);
      }
      return await deed();
    } finally {
      running -= 1;
      if (running === 0) {
        const facts = { commands, endedAt: Date.now(), ms: performance.now() - startedAt };
        beginning = undefined;
        commands = [];
        await undo.commandEnded(facts);
      }
    }
  }

  async function startUndoably(run: Parameters<Shell['start']>[0]): Promise<string> {
    const command = commandOf(run);
    const id = await undoably(command, () => changing.start(run));
    await continues(command, id);
    return id;
  }

  async function runUndoably(run: CommandRun): Promise<CommandOutcome> {
    const command = commandOf(run);
    const outcome = await undoably(command, () => changing.run(run), run);
    if (outcome.background !== undefined) await continues(command, outcome.background);
    return outcome;
  }

  function continues(command: Command, id: string): Promise<void> {
    const isRunning = () => shell.background().some((one) => one.id === id && one.running);
    return undo.continuesInBackground({ ...command, isRunning });
  }

  function commandOf({ command, cwd = options.cwd }: Wanted): Command {
    return { command, cwd };
  }

  function withEnvironment<R extends Wanted>(run: R): R {
    return isHarmless(run.command) ? { ...run, env: { ...run.env, ...environmentOf(run.command) } } : run;
  }

  return {
    ...shell,
    async run(wanted) {
      const run = withEnvironment(wanted);
      if (!run.onlyReads) return runUndoably(run);
      await undo.commandReads();
      return shell.run(run);
    },
    async start(wanted) {
      const run = withEnvironment(wanted);
      if (!run.onlyReads) return startUndoably(run);
      await undo.commandReads();
      return shell.start(run);
    },
  };
}

/** The shell for one call: its commands also see the outside paths opened for it. */
export function shellFor(shell: Shell, { opens, onlyReads }: Pick<Scope, 'opens' | 'onlyReads'>): Shell {
  if (opens.length === 0 && !onlyReads) return shell;
  const readable = opens.map(({ path }) => path);
  const scope = { ...(readable.length > 0 && { readable }), ...(onlyReads && { onlyReads }) };
  return {
    ...shell,
    run: (run) => shell.run({ ...run, ...scope }),
    start: (run) => shell.start({ ...run, ...scope }),
  };
}
