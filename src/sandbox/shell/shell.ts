import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import path from 'node:path';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { CommandRun, Shell } from '../../contract/tool.ts';
import type { Confine, Confinement } from '../confine/confine.ts';
import { type CommandLine, hostLaunch, type Launch } from '../confine/launch.ts';
import { childOf } from '../confine/launched-child.ts';
import { pinFolder } from '../files/folder-identity.ts';
import { openUnnamedFile } from '../files/unnamed-file.ts';
import type { Guard } from '../guard.ts';
import { createBackground } from './background.ts';
import { type CommandLimits, createLimitWatch, type LimitWatch } from './command-limits.ts';
import { type Child, type Ending, followCommand } from './follow-command.ts';
import { endFamily, isGroupAlive, killGroup } from './process-group.ts';
import { MARK_DESCRIPTOR, openMark } from './process-table.ts';
import { commandEnvironment, type Environment, findShell } from './shell-program.ts';
import { createWatchdog } from './watchdog.ts';

/** Between TERM and KILL. */
const GRACE_MS = 1_000;
/** In the environment of every command, inherited by all its processes. */
const MARK = 'AI_ASSISTANT_COMMAND';

export type ShellOptions = {
  cwd: string;
  env: Environment;
  /** Variables that commands must not see, such as the providers' keys. */
  hiddenEnv?: readonly string[];
  guard?: Pick<Guard, 'check'>;
  /** The folder for outputs too long for memory; without it their middle is lost. */
  outputFolder?: string;
  /** For each command with all its processes; unlimited if absent. */
  limits?: CommandLimits;
  /** The sandbox for commands; if absent, they have the user's own permissions. */
  confine?: Confinement;
};

/** `close` ends running commands and the processes they left behind. */
export type SessionShell = Shell & {
  /** Does slow work before the first command. */
  prepare(): Promise<void>;
  close(): Promise<void>;
};

type Started = { child: Child; number: number; launch: Launch; stop(): Promise<void> };
type Wanted = Pick<CommandRun, 'command' | 'cwd' | 'unconfined' | 'env' | 'input' | 'readable'>;

const noSandbox: SandboxState = { kind: 'host', level: 'permissive', network: 'open' };

/** Runs commands on this machine: in the sandbox from `confine`, or as the user. */
export function createShell(options: ShellOptions): SessionShell {
  const { cwd, env, hiddenEnv = [], guard, outputFolder, limits } = options;
  const program = findShell(process.platform, env);
  const environment = commandEnvironment(env, hiddenEnv);
  const checkFolder = pinFolder(cwd);
  const session = randomUUID();
  const everything = { name: MARK, prefix: `${session}:` };
  const watchdog = createWatchdog(everything, environment.PATH);
  const background = createBackground();
  const limitWatch = limits && createLimitWatch(limits);
  const groups = new Set<number>();
  /** Groups whose command has ended; some of its processes may still run. */
  const over = new Set<number>();
  const doors = new Set<number>();
  const ends = new Map<number, () => Promise<void>>();
  let walls: Promise<Confine> | undefined;
  let started = 0;

  /** Loaded with the first command: most starts do not need it. */
  async function confine(confinement: Confinement): Promise<Confine> {
    walls ??= import('../confine/confine.ts').then(({ createConfine }) =>
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
    checkFolder();
    const folder = run.cwd !== undefined && guard ? await guard.check(run.cwd, 'read') : (run.cwd ?? cwd);
    const number = ++started;
    const mark = { name: MARK, prefix: `${session}:${number};` };
    const launch = await launchFor(
      {
        command: run.command,
        folder,
        env: run.env ? withChanges(environment, run.env) : environment,
        shell: program,
        maxProcesses: limits?.maxProcesses ?? Number.MAX_SAFE_INTEGER,
        ...(run.input !== undefined && { takesInput: true as const }),
        ...(run.readable && { readable: run.readable }),
      },
      run,
    );
    signal?.throwIfAborted();
    // Again: preparing a sandbox may have taken a while.
    checkFolder();
    const input = run.input === undefined ? null : openUnnamedFile(run.input);
    const filter = launch.filter ? openUnnamedFile(launch.filter) : null;
    // A kernel sandbox ends all its processes; otherwise those that left their group must be found.
    const descriptor = launch.door || launch.end ? null : openMark(mark);
    const spawned = spawn(launch.file, launch.args, {
      cwd: folder,
      // Container engines must not be marked as ours: they end their containers on request.
      env: launch.end ? launch.env : { ...launch.env, [mark.name]: mark.prefix },
      // A separate group, so that all of it can be ended; and no terminal for prompts.
      detached: process.platform !== 'win32',
      stdio: stdioFor(launch, { input, filter, descriptor }),
      windowsHide: true,
      windowsVerbatimArguments: launch.verbatim ?? false,
    });
    const launched = childOf(spawned, launch);
    for (const opened of [input, filter, descriptor]) if (opened !== null) closeSync(opened);
    const { pid } = spawned;
    if (pid === undefined) return { child: launched, number, launch, stop: async () => undefined };
    groups.add(pid);
    spawned.once('exit', () => over.add(pid));
    if (launch.door) doors.add(pid);
    if (launch.end) ends.set(pid, launch.end);
    watchdog.watch(pid);
    const stop = async () => {
      await launch.end?.();
      await endFamily({ leaders: [pid], mark, doors }, GRACE_MS);
    };
    const child = limitWatch ? withLimits(launched, { leader: pid, limitWatch, stop }) : launched;
    return { child, number, launch, stop };
  }

  /** The id of a group that is gone may soon be reused. */
  async function forgetGone(candidates: ReadonlySet<number>): Promise<void> {
    for (const group of [...candidates]) {
      if (await isGroupAlive(group)) continue;
      groups.delete(group);
      over.delete(group);
      doors.delete(group);
      ends.delete(group);
      watchdog.forget(group);
    }
  }

  return {
    name: program.name,

    sandbox: async () => (options.confine ? (await confine(options.confine)).state() : noSandbox),

    async prepare() {
      if (options.confine) await (await confine(options.confine)).prepare();
    },

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
      await forgetGone(over);
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
      await forgetGone(groups);
      await Promise.all([...ends.values()].map((end) => end()));
      await endFamily({ leaders: [...groups], mark: everything, doors }, GRACE_MS);
      await forgetGone(groups);
      await watchdog.close();
      await (await walls)?.close();
    },
  };
}

type Opened = { input: number | null; filter: number | null; descriptor: number | null };

function stdioFor({ door }: Launch, { input, filter, descriptor }: Opened): (number | 'ignore' | 'pipe')[] {
  const stdio: (number | 'ignore' | 'pipe')[] = [input ?? 'ignore', 'pipe', 'pipe'];
  if (door) stdio.push('pipe');
  if (filter !== null) stdio.push(filter);
  if (descriptor === null) return stdio;
  while (stdio.length < MARK_DESCRIPTOR) stdio.push('ignore');
  return [...stdio, descriptor];
}

type Limited = { leader: number; limitWatch: LimitWatch; stop(): Promise<void> };

function withLimits(child: Child, { leader, limitWatch, stop }: Limited): Child {
  let told = '';
  limitWatch.watch(leader, (note) => {
    told = note;
    // Without a grace period: a fork bomb would use it.
    killGroup(leader);
    void stop();
  });
  child.process.once('exit', () => limitWatch.forget(leader));
  return {
    ...child,
    explain(ending): Ending {
      const explained = child.explain?.(ending) ?? ending;
      return told === '' ? explained : { ...explained, note: told + (explained.note ?? '') };
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
