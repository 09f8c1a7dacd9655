import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { once } from '../../lib/async/closing.ts';
import { startFailure } from '../../lib/paths/start-failure.ts';
import { visibleLine } from '../../lib/text/visible-text.ts';
import { createProcessKeeper } from './process-keeper.ts';
import { findShell } from './shell-program.ts';

/** A program with its arguments, or a command of the user's. */
export type RecorderProgram = { file: string; args: readonly string[] } | { command: string };

export type RecorderProcess = {
  audio: AsyncIterable<Uint8Array>;
  /** Resolves when it has ended, with the last lines it printed; empty if it succeeded. */
  ended: Promise<string>;
  /** Ends it and all its processes. */
  end(): Promise<void>;
};

const MAX_WORDS = 4_000;
const SHOWN_LINES = 2;
const SHOWN = 300;

/** Starts a program that writes to its standard output until it is ended. It ends with this process, however that ends. */
export function startRecorder(program: RecorderProgram, env: NodeJS.ProcessEnv): RecorderProcess {
  const keeper = createProcessKeeper({ path: env.PATH });
  const mark = keeper.mark();
  const { file, args, verbatim } = lineOf(program, env);
  const child = spawn(file, args, {
    // Not in the project folder, which could contain its settings.
    cwd: homedir(),
    env: { ...env, ...mark.env },
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    windowsVerbatimArguments: verbatim ?? false,
  });
  const { pid } = child;
  if (pid !== undefined) keeper.watch(pid);
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = (words + text).slice(-MAX_WORDS);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(startFailure(error, { cwd: homedir() })));
    child.once('close', (code) => resolve(code === 0 ? '' : lastLines(words) || `exit code ${code}`));
  });
  const end = once(async () => {
    child.stdout.destroy();
    if (pid !== undefined) await keeper.end(pid, mark.id);
    await keeper.close();
  });
  return { audio: child.stdout, ended, end };
}

function lineOf(program: RecorderProgram, env: NodeJS.ProcessEnv) {
  if ('file' in program) return { ...program, verbatim: false };
  const shell = findShell(process.platform, env);
  return { file: shell.file, args: shell.args(program.command), verbatim: shell.verbatim };
}

function lastLines(words: string): string {
  const lines = words
    .split(/[\r\n]+/)
    .map(visibleLine)
    .filter((line) => line !== '');
  return lines.slice(-SHOWN_LINES).join('; ').slice(-SHOWN).replace(/\.$/, '');
}
