import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { CommandOutcome, CommandRun, Shell } from '../contract/tool.ts';
import { createCapture } from './capture.ts';
import type { Guard } from './guard.ts';
import { endGroup, isGroupAlive } from './process-group.ts';
import { commandEnvironment, type Environment, findShell } from './shell-program.ts';

const MAX_STREAM_BYTES = 10 * 1024 * 1024;
/** Between asking a command to end and making it. */
const GRACE_MS = 1_000;
/** How long output may still arrive after the shell itself has ended: a child left behind can hold the pipe for ever. */
const DRAIN_MS = 500;

export type HostShellOptions = {
  cwd: string;
  env: Environment;
  /** Names of variables that commands must not see, such as the providers' keys. */
  hiddenEnv?: readonly string[];
  guard?: Pick<Guard, 'check'>;
};

/** `close` ends what still runs, and what commands left running behind them. */
export type HostShell = Shell & { close(): Promise<void> };

type Child = ChildProcessByStdio<null, Readable, Readable>;
type Ending = { code: number | null; signal: NodeJS.Signals | null };

/** Runs commands on this machine as the user, with no other walls than their permissions. */
export function createHostShell({ cwd, env, hiddenEnv = [], guard }: HostShellOptions): HostShell {
  const program = findShell(process.platform, env);
  const environment = commandEnvironment(env, hiddenEnv);
  const groups = new Set<number>();

  async function start(run: CommandRun): Promise<Child> {
    run.signal.throwIfAborted();
    const folder = run.cwd !== undefined && guard ? await guard.check(run.cwd, 'read') : (run.cwd ?? cwd);
    return spawn(program.file, program.args(run.command), {
      cwd: folder,
      env: environment,
      // A group of its own, so that the whole of it can be ended; and no terminal to ask questions on.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
  }

  return {
    name: program.name,

    async run(run) {
      const started = performance.now();
      const child = await start(run);
      if (child.pid !== undefined) groups.add(child.pid);
      const outcome = await follow(child, run);
      // The number of a group that is gone may soon be somebody else's.
      if (child.pid !== undefined && !isGroupAlive(child.pid)) groups.delete(child.pid);
      return { ...outcome, durationMs: Math.round(performance.now() - started) };
    },

    async close() {
      const alive = [...groups].filter(isGroupAlive);
      groups.clear();
      await Promise.all(alive.map((leader) => endGroup(leader, GRACE_MS)));
    },
  };
}

/** From a started child to its outcome: collects, enforces the time limit and the abort, and never waits on a held pipe. */
async function follow(child: Child, run: CommandRun): Promise<Omit<CommandOutcome, 'durationMs'>> {
  const stdout = collect(child.stdout, run.onOutput);
  const stderr = collect(child.stderr, run.onOutput);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exited = new Promise<Ending>((resolve, reject) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => reject(new Error(`The shell could not be started: ${error.message}`)));
  });

  let timedOut = false;
  let stopping: Promise<void> | undefined;
  const stop = () => {
    if (child.pid !== undefined) stopping ??= endGroup(child.pid, GRACE_MS);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, run.timeoutMs);
  run.signal.addEventListener('abort', stop, { once: true });
  if (run.signal.aborted) stop();

  try {
    const { code, signal } = await exited;
    clearTimeout(timer);
    await stopping;
    await within(closed, DRAIN_MS);
    return { stdout: stdout.end(), stderr: stderr.end(), exitCode: code, signal, timedOut };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', stop);
  }
}

function collect(stream: Readable, onOutput: CommandRun['onOutput']): { end(): string } {
  const capture = createCapture(MAX_STREAM_BYTES);
  const decoder = new StringDecoder('utf8');
  const tell = (text: string) => {
    if (text !== '') onOutput?.(text);
  };
  const take = (chunk: Buffer) => {
    capture.push(chunk);
    tell(decoder.write(chunk));
  };
  stream.on('data', take);
  return {
    end() {
      stream.off('data', take);
      tell(decoder.end());
      letGo(stream);
      return capture.text();
    },
  };
}

/** A child left behind may go on writing, and dies of a closed pipe; so the pipe stays open, unread, and holds up nobody. */
function letGo(stream: Readable): void {
  stream.resume();
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
