import { spawn } from 'node:child_process';
import { onAbort, pause } from '../../lib/async/abort.ts';
import type { ProcessKeeper } from './process-keeper.ts';

export type KeptRun = {
  command: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Its standard input. */
  input: string;
  /** Aborted: it gets SIGTERM, and SIGKILL if it does not end. */
  signal: AbortSignal;
  keeper: ProcessKeeper;
};

export type KeptOutcome = { code: number | null; stdout: string; stderr: string };

/** Longer than a clean shutdown takes at most. */
const LEAVING_MS = 10_000;
const MAX_OUTPUT = 64 * 1024 * 1024;
const MAX_ERRORS = 64 * 1024;

/** Runs a program of ours to its end. It ends with this process, however that ends. */
export async function runKept(run: KeptRun): Promise<KeptOutcome> {
  const { command, cwd, env, input, signal, keeper } = run;
  signal.throwIfAborted();
  const [file = '', ...args] = command;
  const mark = keeper.mark();
  // The leader of a group: an interrupt in the terminal is for this process, which decides.
  const child = spawn(file, args, { cwd, env: { ...env, ...mark.env }, detached: true, windowsHide: true });
  const stdout = collect(child.stdout, MAX_OUTPUT);
  const stderr = collect(child.stderr, MAX_ERRORS);
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  const { pid } = child;
  if (pid === undefined) return { code: await closed, stdout: '', stderr: '' };
  keeper.watch(pid);
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const over = new AbortController();
  const stopping = onAbort(signal, () => {
    child.kill('SIGTERM');
    void pause(LEAVING_MS, over.signal).then(
      () => keeper.end(pid, mark.id),
      () => undefined,
    );
  });
  try {
    const code = await closed;
    return { code, stdout: stdout(), stderr: stderr() };
  } finally {
    over.abort();
    stopping.off();
    keeper.forget(pid);
  }
}

/** What exceeds the limit is read and dropped, so that the program does not block. */
function collect(stream: NodeJS.ReadableStream, limit: number): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < limit) chunks.push(chunk);
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
