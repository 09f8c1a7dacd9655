import { writeSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import type { Terminal } from '../frontends/shared/terminal.ts';

/** Defined by the build. `ACA_BINARY`, the target platform, exists only in the standalone binary. */
declare const ACA_VERSION: string;
declare const ACA_BINARY: string | undefined;

const outputListeners: ((error: NodeJS.ErrnoException) => void)[] = [];

/** Prints the version without loading the app. */
function start(): void {
  const args = process.argv.slice(2);
  if (args.length === 1 && ['--version', '-V', 'version'].includes(args[0] ?? '')) {
    const build = typeof ACA_BINARY === 'string' ? `binary, ${ACA_BINARY}` : `node ${process.versions.node}`;
    process.stdout.write(`${ACA_VERSION} (${build})\n`);
    return;
  }
  // A reader such as `head` may close the pipe early; that is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    for (const listener of outputListeners) listener(error);
    if (outputListeners.length > 0) return;
    if (error.code === 'EPIPE') process.exit(0);
    // The terminal was closed; the accompanying signal shuts the program down cleanly.
    if (error.code === 'EIO') return;
    // Exit immediately: buffered output is lost anyway.
    writeSync(
      2,
      `Could not write output (${error.message}). Free some disk space or redirect it elsewhere.\n`,
    );
    process.exit(1);
  });
  void begin(args);
}

/** Null, with a message, if it was removed or its path is too long. */
function workingDirectory(): string | null {
  try {
    return process.cwd();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'it was removed' : 'its path is too long';
    writeSync(2, `Cannot use the working directory: ${why}.\nStart from another folder.\n`);
    return null;
  }
}

/**
 * False, with a message, if there is no home folder. An empty or relative HOME is replaced by that of the account: keys
 * and conversations would end up in a project.
 */
function settleHome(): boolean {
  const { env } = process;
  const isUnset = env.HOME === undefined;
  if (!isUnset && isAbsolute(env.HOME ?? '')) return true;
  delete env.HOME;
  let home = '';
  try {
    home = homedir();
  } catch {
    // The system does not know this user. Containers have `/` then.
    home = env.AI_ASSISTANT_HOME ? '/' : '';
  }
  if (home === '') {
    writeSync(2, 'No home folder found.\nSet HOME or AI_ASSISTANT_HOME.\n');
    return false;
  }
  if (!isUnset || home === '/') env.HOME = home;
  return true;
}

async function begin(args: string[]): Promise<void> {
  const cwd = workingDirectory();
  if (cwd === null || !settleHome()) return process.exit(2);
  /** The signal that ended the program; it determines the exit code, whatever the outcome. */
  let ended: Parameters<Terminal['onSignal']>[0] | undefined;
  const { openEarly } = await import('../frontends/terminal/early/open-early.ts');
  const { env, stdin, stdout } = process;
  const early = openEarly(args, { env, cwd, stdin, stdout });
  if (typeof ACA_BINARY !== 'string') await cacheCode();
  const terminal: Terminal = {
    env: process.env,
    cwd,
    ...(process.argv[1] !== undefined && { program: process.argv[1] }),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    onUncaught: (listener) => void process.on('uncaughtExceptionMonitor', listener),
    ...(early && { early }),
    onOutputError: (listener) => void outputListeners.push(listener),
    onSignal: (signal, listener) =>
      void process.on(signal, () => {
        ended ??= signal;
        listener();
      }),
  };
  await early?.breathe();
  const { run } = await import('./run.ts');
  const done = await run(args, terminal);
  const code = ended ? 128 + constants.signals[ended] : done;
  // Keep-alive connections would delay the exit; the output is flushed first.
  const leave = () => process.exit(code);
  // Errors are reported first.
  if (typeof ACA_BINARY !== 'string')
    process.stdout.write('', (error) => (error ? setImmediate(leave) : leave()));
  else void Promise.all([process.stdout, process.stderr].map(emptied)).then(leave);
}

/**
 * After the first prompt is painted, and before anything large is loaded. The standalone binary contains its
 * compiled code.
 */
async function cacheCode(): Promise<void> {
  const { enableCompileCache } = await import('../lib/compile-cache.ts');
  const { dataRoot } = await import('../lib/files/data-root.ts');
  enableCompileCache(dataRoot(process.env));
}

/**
 * In the standalone binary an empty write completes before earlier writes are flushed, so the stream is
 * ended; under Node that would shut down a shared socket. Terminals are written synchronously.
 */
function emptied(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => (stream.isTTY ? resolve() : stream.end(() => resolve())));
}

start();
