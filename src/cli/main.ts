#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import type { Terminal } from '../frontends/shared/terminal.ts';

/** Put in by the build; the second by that of the standalone binary only: the system it is for. */
declare const ACA_VERSION: string;
declare const ACA_BINARY: string | undefined;

/** Nothing of the app is loaded to say the version. */
function start(): void {
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    const build = typeof ACA_BINARY === 'string' ? `binary, ${ACA_BINARY}` : `node ${process.versions.node}`;
    process.stdout.write(`${ACA_VERSION} (${build})\n`);
    return;
  }
  // A reader that has seen enough closes the pipe; that is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    // A terminal that was closed: the signal that comes with it ends the program in good order.
    if (error.code === 'EIO') return;
    // At once: what still waits to be written is lost with the process.
    writeSync(2, `The output cannot be written (${error.message}). Make room, or send it elsewhere.\n`);
    process.exit(1);
  });
  void begin(args);
}

/** Null, and said, when there is none: it was removed, or its path is longer than the system takes. */
function workingDirectory(): string | null {
  try {
    return process.cwd();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'it was removed' : 'its path is too long';
    writeSync(2, `The working directory cannot be used: ${why}.\nStart from another folder.\n`);
    return null;
  }
}

async function begin(args: string[]): Promise<void> {
  const cwd = workingDirectory();
  if (cwd === null) return process.exit(2);
  /** The signal that ended the program: its exit code says so, whatever came of the work. */
  let ended: Parameters<Terminal['onSignal']>[0] | undefined;
  const { openEarly } = await import('../frontends/terminal/early/open-early.ts');
  const early = openEarly(args, process);
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
  // Kept connections would hold the process for a while; what was written has left it first.
  const leave = () => process.exit(code);
  // What went wrong is told first.
  if (typeof ACA_BINARY !== 'string')
    process.stdout.write('', (error) => (error ? setImmediate(leave) : leave()));
  else void Promise.all([process.stdout, process.stderr].map(emptied)).then(leave);
}

/** After the first prompt is painted, and before anything large is loaded. The binary has its compiled code inside. */
async function cacheCode(): Promise<void> {
  const { enableCompileCache } = await import('../lib/compile-cache.ts');
  const { dataRoot } = await import('../lib/files/data-root.ts');
  enableCompileCache(dataRoot(process.env));
}

/**
 * In the binary an empty write is done before what was written earlier has left, so the stream is ended; under node that
 * would shut a socket for all who share it. A terminal has everything at once.
 */
function emptied(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => (stream.isTTY ? resolve() : stream.end(() => resolve())));
}

start();
