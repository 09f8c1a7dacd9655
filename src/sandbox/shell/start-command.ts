import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { CommandRun } from '../../contract/tool.ts';
import type { Confine, Confinement } from '../confine/confine.ts';
import { hostLaunch, type Launch } from '../confine/launch.ts';
import { childOf } from '../confine/launched-child.ts';
import { pinFolder } from '../files/folder-identity.ts';
import { openUnnamedFile } from '../files/unnamed-file.ts';
import type { Guard } from '../guard.ts';
import { type CommandLimits, createLimitWatch, type LimitWatch } from './command-limits.ts';
import type { Child, Ending } from './follow-command.ts';
import { killGroup } from './process-group.ts';
import { MARK_DESCRIPTOR, type Mark, openMark } from './process-table.ts';
import { RunningGroups } from './running-groups.ts';
import { commandEnvironment, type Environment, findShell } from './shell-program.ts';
import { createWatchdog } from './watchdog.ts';

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

type Wanted = Pick<
  CommandRun,
  | 'command'
  | 'cwd'
  | 'unconfined'
  | 'onlyReads'
  | 'apart'
  | 'env'
  | 'input'
  | 'readable'
  | 'sealed'
  | 'gitConfig'
>;
type Started = { child: Child; number: number; launch: Launch; stop(): Promise<void> };

const noSandbox: SandboxState = { kind: 'host', level: 'permissive', network: 'open' };

/** Starts the commands of one session, and ends whatever they leave behind. */
export class CommandStarter {
  readonly session = randomUUID();
  readonly program;
  readonly #options: ShellOptions;
  readonly #environment: Record<string, string>;
  readonly #checkFolder: () => void;
  readonly #everything: Mark = { name: MARK, prefix: `${this.session}:` };
  readonly #running: RunningGroups;
  readonly #limitWatch: LimitWatch | undefined;
  #confine: Promise<Confine> | undefined;
  #started = 0;

  constructor(options: ShellOptions) {
    const { cwd, env, hiddenEnv = [], limits } = options;
    this.#options = options;
    this.program = findShell(process.platform, env);
    this.#environment = commandEnvironment(env, hiddenEnv);
    this.#checkFolder = pinFolder(cwd);
    this.#running = new RunningGroups(createWatchdog(this.#everything, this.#environment.PATH));
    this.#limitWatch = limits && createLimitWatch(limits);
  }

  async sandbox(): Promise<SandboxState> {
    return (await this.#confined())?.state() ?? noSandbox;
  }

  /** Does slow work before the first command. */
  async prepare(): Promise<void> {
    await (await this.#confined())?.prepare();
  }

  async start(run: Wanted, signal?: AbortSignal): Promise<Started> {
    const { cwd, guard, limits } = this.#options;
    this.#checkFolder();
    const folder = run.cwd !== undefined && guard ? await guard.check(run.cwd, 'read') : (run.cwd ?? cwd);
    const number = ++this.#started;
    const mark = { name: MARK, prefix: `${this.session}:${number};` };
    const line = {
      command: run.command,
      folder,
      env: run.env ? withChanges(this.#environment, run.env) : this.#environment,
      shell: this.program,
      maxProcesses: limits?.maxProcesses ?? Number.MAX_SAFE_INTEGER,
      ...(run.input !== undefined && { takesInput: true as const }),
      ...(run.readable && { readable: run.readable }),
      ...(run.sealed && { sealed: run.sealed }),
      ...(run.gitConfig && { gitConfig: run.gitConfig }),
      ...(run.onlyReads && { onlyReads: run.onlyReads }),
      ...(run.apart && { apart: run.apart }),
    };
    const { unconfined } = run;
    const confine = await this.#confined();
    const launch = confine
      ? await confine.launch(line, unconfined && { unconfined })
      : hostLaunch(line, noSandbox);
    signal?.throwIfAborted();
    // Again: preparing a sandbox may have taken a while.
    this.#checkFolder();
    const spawned = spawnLaunch(launch, { folder, input: run.input, mark });
    const launched = childOf(spawned, launch);
    const { pid } = spawned;
    if (pid === undefined) return { child: launched, number, launch, stop: async () => undefined };
    this.#running.add(pid, launch, spawned);
    const stop = async () => {
      await launch.end?.();
      await this.#running.end([pid], mark);
    };
    const limitWatch = this.#limitWatch;
    const child = limitWatch ? withLimits(launched, { leader: pid, limitWatch, stop }) : launched;
    return { child, number, launch, stop };
  }

  forgetEnded(): Promise<void> {
    return this.#running.forgetEnded();
  }

  async close(): Promise<void> {
    if (this.#started === 0) return;
    await this.#running.close(this.#everything);
    await (await this.#confine)?.close();
  }

  /** Loaded with the first command: most starts do not need it. */
  async #confined(): Promise<Confine | undefined> {
    const { confine, cwd, outputFolder } = this.#options;
    if (!confine) return undefined;
    this.#confine ??= import('../confine/confine.ts').then(({ createConfine }) =>
      createConfine({
        ...confine,
        cwd,
        env: this.#environment,
        ...(outputFolder !== undefined && { outputFolder }),
      }),
    );
    return this.#confine;
  }
}

type Spawning = { folder: string; input: CommandRun['input']; mark: Mark };

function spawnLaunch(launch: Launch, { folder, input: text, mark }: Spawning): ChildProcess {
  const input = text === undefined ? null : openUnnamedFile(text);
  const filter = launch.filter ? openUnnamedFile(launch.filter) : null;
  // A kernel sandbox ends all its processes; otherwise those that left their group must be found.
  const descriptor = launch.launcher || launch.end ? null : openMark(mark);
  try {
    return spawn(launch.file, launch.args, {
      cwd: folder,
      // Container engines must not be marked as ours: they end their containers on request.
      env: launch.end ? launch.env : { ...launch.env, [mark.name]: mark.prefix },
      // A separate group, so that all of it can be ended; and no terminal for prompts.
      detached: process.platform !== 'win32',
      stdio: stdioFor(launch, { input, filter, descriptor }),
      windowsHide: true,
      windowsVerbatimArguments: launch.verbatim ?? false,
    });
  } finally {
    // Starting throws if the command line is too long for the system.
    for (const opened of [input, filter, descriptor]) if (opened !== null) closeSync(opened);
  }
}

type Opened = { input: number | null; filter: number | null; descriptor: number | null };

function stdioFor(
  { launcher }: Launch,
  { input, filter, descriptor }: Opened,
): (number | 'ignore' | 'pipe')[] {
  const stdio: (number | 'ignore' | 'pipe')[] = [input ?? 'ignore', 'pipe', 'pipe'];
  if (launcher) stdio.push('pipe');
  if (filter !== null) stdio.push(filter);
  if (descriptor === null) return stdio;
  while (stdio.length < MARK_DESCRIPTOR) stdio.push('ignore');
  return [...stdio, descriptor];
}

type Limited = { leader: number; limitWatch: LimitWatch; stop(): Promise<void> };

function withLimits(child: Child, { leader, limitWatch, stop }: Limited): Child {
  let stopNote = '';
  limitWatch.watch(leader, (note) => {
    stopNote = note;
    // Without a grace period: a fork bomb would use it.
    killGroup(leader);
    void stop();
  });
  child.process.once('exit', () => limitWatch.forget(leader));
  return {
    ...child,
    explain(ending): Ending {
      const explained = child.explain?.(ending) ?? ending;
      return stopNote === '' ? explained : { ...explained, note: stopNote + (explained.note ?? '') };
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
