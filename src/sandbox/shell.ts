import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import path from 'node:path';
import type { SandboxState } from '../contract/sandbox.ts';
import type { CommandRun, Shell } from '../contract/tool.ts';
import { createBackground } from './background.ts';
import type { Confine, Confinement } from './confine/confine.ts';
import { type CommandLine, hostLaunch, type Launch } from './confine/launch.ts';
import { childOf } from './confine/launched-child.ts';
import { type Child, followCommand } from './follow-command.ts';
import type { Guard } from './guard.ts';
import { openInput } from './input-file.ts';
import { endFamily, isGroupAlive } from './process-group.ts';
import { commandEnvironment, type Environment, findShell } from './shell-program.ts';
import { createWatchdog } from './watchdog.ts';

/** Between asking a command to end and making it. */
const GRACE_MS = 1_000;
/** In the environment of every command, and by inheritance of all it starts. */
const MARK = 'AI_ASSISTANT_COMMAND';

export type ShellOptions = {
  cwd: string;
  env: Environment;
  /** Names of variables that commands must not see, such as the providers' keys. */
  hiddenEnv?: readonly string[];
  guard?: Pick<Guard, 'check'>;
  /** Where outputs too long for memory are kept; without it their middle is lost. */
  outputFolder?: string;
  /** What stands between commands and the machine; without it, nothing but the user's own permissions. */
  confine?: Confinement;
};

/** `close` ends what still runs, and what commands left running behind them. */
export type SessionShell = Shell & { close(): Promise<void> };

type Started = { child: Child; number: number; launch: Launch; stop(): Promise<void> };
type Wanted = Pick<CommandRun, 'command' | 'cwd' | 'unconfined' | 'env' | 'input'>;

const noSandbox: SandboxState = { kind: 'host', level: 'permissive', network: 'open' };

/** Runs commands on this machine: in the sandbox that `confine` leads to, or as the user. */
export function createShell(options: ShellOptions): SessionShell {
  const { cwd, env, hiddenEnv = [], guard, outputFolder } = options;
  const program = findShell(process.platform, env);
  const environment = commandEnvironment(env, hiddenEnv);
  const session = randomUUID();
  const everything = { name: MARK, prefix: `${session}:` };
  const watchdog = createWatchdog(everything, environment.PATH);
  const background = createBackground();
  const groups = new Set<number>();
  const doors = new Set<number>();
  const ends = new Map<number, () => Promise<void>>();
  let walls: Promise<Confine> | undefined;
  let started = 0;

  /** Loaded with the first command: most starts need none of it. */
  async function confine(confinement: Confinement): Promise<Confine> {
    walls ??= import('./confine/confine.ts').then(({ createConfine }) =>
      createConfine({
        ...confinement,
        cwd,
        env: environment,
        ...(outputFolder !== undefined && { outputFolder }),
      }),
    );
    return walls;
  }

  async function launchFor(line: CommandLine, { unconfined }: Wanted): Promise<Launch> {
    if (options.confine) {
      return (await confine(options.confine)).launch(line, unconfined && { unconfined });
    }
    return hostLaunch(line, noSandbox);
  }

  async function start(run: Wanted, signal?: AbortSignal): Promise<Started> {
    const folder = run.cwd !== undefined && guard ? await guard.check(run.cwd, 'read') : (run.cwd ?? cwd);
    const number = ++started;
    const mark = { name: MARK, prefix: `${session}:${number};` };
    const launch = await launchFor(
      {
        command: run.command,
        folder,
        env: run.env ? withChanges(environment, run.env) : environment,
        shell: program,
        ...(run.input !== undefined && { takesInput: true as const }),
      },
      run,
    );
    signal?.throwIfAborted();
    const input = run.input === undefined ? null : openInput(run.input);
    const spawned = spawn(launch.file, launch.args, {
      cwd: folder,
      // The engine of a container is not ours to hunt: it ends what it runs when asked.
      env: launch.end ? launch.env : { ...launch.env, [mark.name]: mark.prefix },
      // A group of its own, so that the whole of it can be ended; and no terminal to ask questions on.
      detached: process.platform !== 'win32',
      stdio: [input ?? 'ignore', 'pipe', 'pipe', ...(launch.door ? (['pipe'] as const) : [])],
      windowsHide: true,
      windowsVerbatimArguments: launch.verbatim ?? false,
    });
    const child = childOf(spawned, launch);
    if (input !== null) closeSync(input);
    const { pid } = spawned;
    if (pid === undefined) return { child, number, launch, stop: async () => undefined };
    groups.add(pid);
    if (launch.door) doors.add(pid);
    if (launch.end) ends.set(pid, launch.end);
    watchdog.watch(pid);
    const stop = async () => {
      await launch.end?.();
      await endFamily({ leaders: [pid], mark, doors }, GRACE_MS);
    };
    return { child, number, launch, stop };
  }

  /** The number of a group that is gone may soon be somebody else's. */
  async function forgetGone(): Promise<void> {
    for (const group of [...groups]) {
      if (await isGroupAlive(group)) continue;
      groups.delete(group);
      doors.delete(group);
      ends.delete(group);
      watchdog.forget(group);
    }
  }

  return {
    name: program.name,

    sandbox: async () => (options.confine ? (await confine(options.confine)).state() : noSandbox),

    async run(run) {
      run.signal.throwIfAborted();
      const began = performance.now();
      const { child, number, launch, stop } = await start(run, run.signal);
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
      return { ...outcome, durationMs: Math.round(performance.now() - began), sandbox: launch.sandbox };
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
      await Promise.all([...ends.values()].map((end) => end()));
      await endFamily({ leaders: [...groups], mark: everything, doors }, GRACE_MS);
      await forgetGone();
      await watchdog.close();
      await (await walls)?.close();
    },
  };
}

function withChanges(
  environment: Readonly<Record<string, string>>,
  changes: NonNullable<CommandRun['env']>,
): Record<string, string> {
  const kept = Object.entries({ ...environment, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(kept);
}
