import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { UserError } from '../../contract/errors.ts';
import { once } from '../../lib/async/closing.ts';
import { startFailure, startOrExplain } from '../../lib/paths/start-failure.ts';
import { shellWord } from '../../lib/text/shell-quote.ts';
import type { Confinement } from '../confine/confine.ts';
import type { hostLaunch, Launch } from '../confine/launch.ts';
import { childOf } from '../confine/launched-child.ts';
import { openUnnamedFile } from '../files/unnamed-file.ts';
import { createLimitWatch } from './command-limits.ts';
import { createProcessKeeper } from './process-keeper.ts';
import { commandEnvironment, type Environment, findShell } from './shell-program.ts';

export type ServerStarterOptions = {
  cwd: string;
  env: Environment;
  /** Variables that servers must not see, such as the providers' keys. */
  hiddenEnv: readonly string[];
  confine: Confinement;
  maxProcesses: number;
  maxMemoryMb: number;
  /** Without a sandbox, start it with the user's own permissions. */
  mayRunOutside: boolean;
};

/** A program that runs beside the conversation and talks over its standard input and output. */
type StartedProgram = {
  stdin: Writable;
  stdout: Readable;
  /** Resolves when it has ended, with the reason and the last lines that it printed. */
  ended: Promise<string>;
  sandbox: string;
  end(): Promise<void>;
};

export type ServerStarter = {
  start(program: {
    file: string;
    args: readonly string[];
    folder: string;
    env?: Readonly<Record<string, string>>;
  }): Promise<StartedProgram>;
  /** Ends all of them. */
  close(): Promise<void>;
};

const MAX_WORDS = 4_000;
const SHOWN_LINES = 3;

/**
 * Starts programs that only read the project: without network, without the keys, in a sandbox that is closed to
 * writing. They end with this process, however it ends, and when they use too much memory.
 */
export function createServerStarter(options: ServerStarterOptions): ServerStarter {
  const { cwd, env, hiddenEnv, maxProcesses, maxMemoryMb } = options;
  const environment = commandEnvironment(env, hiddenEnv);
  const shell = findShell(process.platform, env);
  const keeper = createProcessKeeper({ path: environment.PATH });
  const limitWatch = createLimitWatch({ maxProcesses, maxMemoryMb });
  const confined = once(async () => {
    const { createConfine } = await import('../confine/confine.ts');
    return createConfine({ ...options.confine, level: () => 'strict', cwd, env: environment });
  });

  async function launchOf(line: Parameters<typeof hostLaunch>[0]): Promise<Launch> {
    const confine = await confined();
    const { kind } = await confine.state();
    if (kind === 'docker' || kind === 'podman')
      throw new UserError('language servers do not run in containers', 'Use bubblewrap.');
    if (kind === 'host' && !options.mayRunOutside)
      throw new UserError(
        'there is no sandbox to run it in',
        'Install one, or set languageServers.outsideSandbox.',
      );
    return confine.launch(line);
  }

  return {
    async start({ file, args, folder, env: added = {} }) {
      const { id, env: mark } = keeper.mark();
      const launch = await launchOf({
        command: `exec ${[file, ...args].map(shellWord).join(' ')}`,
        folder,
        env: { ...environment, ...added },
        shell,
        maxProcesses,
        takesInput: true,
      });
      const child = startOrExplain(() => spawnServer(launch, { folder, mark }), { cwd: folder });
      const { pid } = child;
      const end = once(async () => {
        if (pid === undefined) return;
        limitWatch.forget(pid);
        await keeper.end(pid, id);
      });
      let stopped = '';
      if (pid !== undefined) {
        keeper.watch(pid);
        limitWatch.watch(pid, (note) => {
          stopped = note.includes('memory')
            ? `used more than ${maxMemoryMb} MB of memory (setting languageServers.maxMemoryMb)`
            : `ran more than ${maxProcesses} processes`;
          void end();
        });
      }
      const { stdout, stderr, explain } = childOf(child, launch);
      const words = lastWords(stderr);
      const ended = new Promise<string>((resolve) => {
        child.once('error', (error) => resolve(`could not start: ${startFailure(error, { cwd: folder })}`));
        child.once('close', (code, signal) => {
          void end();
          const ending = explain?.({ code, signal }) ?? { code, signal };
          const how = ending.signal ? `was ended by ${ending.signal}` : `ended with exit code ${ending.code}`;
          resolve(stopped || [how, words() || ending.note?.trim()].filter(Boolean).join(': '));
        });
      });
      // A server must never keep the program from exiting.
      child.unref();
      for (const stream of child.stdio) if (stream && 'unref' in stream) (stream.unref as () => void)();
      return {
        stdin: writableOf(child),
        stdout,
        ended,
        sandbox: launch.sandbox.kind,
        end,
      };
    },

    async close() {
      await keeper.close();
      await (await confined()).close();
    },
  };
}

function spawnServer(
  launch: Launch,
  { folder, mark }: { folder: string; mark: Readonly<Record<string, string>> },
): ChildProcess {
  const filter = launch.filter ? openUnnamedFile(launch.filter) : null;
  try {
    return spawn(launch.file, launch.args, {
      cwd: folder,
      env: { ...launch.env, ...mark },
      detached: process.platform !== 'win32',
      stdio: [
        'pipe',
        'pipe',
        'pipe',
        ...(launch.launcher ? ['pipe' as const] : []),
        ...(filter === null ? [] : [filter]),
      ],
      windowsHide: true,
      windowsVerbatimArguments: launch.verbatim ?? false,
    });
  } finally {
    if (filter !== null) closeSync(filter);
  }
}

/** The end of what a program printed. */
function lastWords(stream: Readable): () => string {
  let words = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-MAX_WORDS);
  });
  return () =>
    words
      .replace(/[^\P{Cc}\n]/gu, ' ')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .slice(-SHOWN_LINES)
      .join('; ')
      .slice(-300);
}

function writableOf({ stdin }: ChildProcess): Writable {
  if (stdin) return stdin;
  throw new Error('The process was started without its pipes.');
}
