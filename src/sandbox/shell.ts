import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { CommandRun, Shell } from '../contract/tool.ts';
import { createBackground } from './background.ts';
import { type Child, followCommand } from './follow-command.ts';
import type { Guard } from './guard.ts';
import { endFamily, isGroupAlive } from './process-group.ts';
import { commandEnvironment, type Environment, findShell } from './shell-program.ts';
import { createWatchdog } from './watchdog.ts';

/** Between asking a command to end and making it. */
const GRACE_MS = 1_000;
/** In the environment of every command, and by inheritance of all it starts. */
const MARK = 'AI_ASSISTANT_COMMAND';

export type HostShellOptions = {
  cwd: string;
  env: Environment;
  /** Names of variables that commands must not see, such as the providers' keys. */
  hiddenEnv?: readonly string[];
  guard?: Pick<Guard, 'check'>;
  /** Where outputs too long for memory are kept; without it their middle is lost. */
  outputFolder?: string;
};

/** `close` ends what still runs, and what commands left running behind them. */
export type HostShell = Shell & { close(): Promise<void> };

type Started = { child: Child; number: number; stop(): Promise<void> };

/** Runs commands on this machine as the user, with no other walls than their permissions. */
export function createHostShell(options: HostShellOptions): HostShell {
  const { cwd, env, hiddenEnv = [], guard, outputFolder } = options;
  const program = findShell(process.platform, env);
  const environment = commandEnvironment(env, hiddenEnv);
  const session = randomUUID();
  const everything = { name: MARK, prefix: `${session}:` };
  const watchdog = createWatchdog(everything, environment.PATH);
  const background = createBackground();
  const groups = new Set<number>();
  let started = 0;

  async function start(run: Pick<CommandRun, 'command' | 'cwd'>, signal?: AbortSignal): Promise<Started> {
    const folder = run.cwd !== undefined && guard ? await guard.check(run.cwd, 'read') : (run.cwd ?? cwd);
    signal?.throwIfAborted();
    const number = ++started;
    const mark = { name: MARK, prefix: `${session}:${number};` };
    const child = spawn(program.file, program.args(run.command), {
      cwd: folder,
      env: { ...environment, [mark.name]: mark.prefix },
      // A group of its own, so that the whole of it can be ended; and no terminal to ask questions on.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      windowsVerbatimArguments: program.verbatim ?? false,
    });
    const { pid } = child;
    if (pid === undefined) return { child, number, stop: async () => undefined };
    groups.add(pid);
    watchdog.watch(pid);
    return { child, number, stop: () => endFamily({ leaders: [pid], mark }, GRACE_MS) };
  }

  /** The number of a group that is gone may soon be somebody else's. */
  async function forgetGone(): Promise<void> {
    for (const group of [...groups]) {
      if (await isGroupAlive(group)) continue;
      groups.delete(group);
      watchdog.forget(group);
    }
  }

  return {
    name: program.name,

    async run(run) {
      run.signal.throwIfAborted();
      const began = performance.now();
      const { child, number, stop } = await start(run, run.signal);
      const outputFile = outputFolder && path.join(outputFolder, `command-${session}-${number}.txt`);
      const { timeoutMs, signal, onOutput } = run;
      const outcome = await followCommand(child, {
        timeoutMs,
        signal,
        stop,
        ...(onOutput && { onOutput }),
        ...(outputFile && { outputFile }),
      });
      await forgetGone();
      return { ...outcome, durationMs: Math.round(performance.now() - began) };
    },

    async start(run) {
      background.makeRoom();
      const { child, stop } = await start(run);
      return background.add(child, run.command, stop);
    },

    check: background.check,
    stop: background.stop,
    background: background.background,

    async close() {
      if (started === 0) return;
      await forgetGone();
      await endFamily({ leaders: [...groups], mark: everything }, GRACE_MS);
      await forgetGone();
      await watchdog.close();
    },
  };
}
