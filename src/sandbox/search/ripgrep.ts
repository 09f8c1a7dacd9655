import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { explainStall, watchForStall } from './search-stall.ts';

export type RipgrepRun = {
  args: readonly string[];
  cwd: string;
  signal: AbortSignal;
  /** An open file to search instead of paths, and its name in the records. */
  input?: { fd: number; name: string } | undefined;
  /** What ends a record: a newline, or NUL for lists of paths. */
  separator: '\n' | '\0';
  onRecord(record: string): void;
};

const MAX_STDERR = 4_000;

/**
 * Runs the real ripgrep to its end. No match is not a failure; neither is an unreadable folder, as long as
 * the rest was searched. An invalid pattern throws ripgrep's own explanation.
 */
export async function ripgrep({ args, cwd, signal, input, separator, onRecord }: RipgrepRun): Promise<void> {
  signal.throwIfAborted();
  const { rgPath } = await import('@vscode/ripgrep');
  const child = spawn(
    rgPath,
    ['--no-config', '--no-require-git', '--no-ignore-messages', ...args, ...(input ? ['-'] : [])],
    {
      cwd,
      stdio: [input?.fd ?? 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    },
  );
  const stop = () => child.kill('SIGKILL');
  let stalled = false;
  const stallWatch = watchForStall(child.pid, () => {
    stalled = true;
    stop();
  });
  signal.addEventListener('abort', stop, { once: true });

  let records = 0;
  let rest = '';
  const decoder = new StringDecoder('utf8');
  child.stdout?.on('data', (chunk: Buffer) => {
    const pieces = (rest + decoder.write(chunk)).split(separator);
    rest = pieces.pop() ?? '';
    records += pieces.length;
    for (const piece of pieces) onRecord(input ? piece.replace(/^<stdin>/, () => input.name) : piece);
  });
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (complaints.length < MAX_STDERR) complaints += chunk.toString('utf8');
  });

  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (stalled) throw new Error(explainStall(cwd));
    const searched =
      code === 0 || code === 1 || (code === 2 && (records > 0 || isOnlyAboutFiles(complaints)));
    if (!searched)
      throw new Error(`The search failed. ${complaints.trim() || `ripgrep exited with code ${code}.`}`);
  } finally {
    stallWatch.stop();
    signal.removeEventListener('abort', stop);
  }
}

/** Unreadable files and link loops are reported as `rg: path: reason (os error N)`, one per line. */
function isOnlyAboutFiles(complaints: string): boolean {
  // The last of many messages may be truncated.
  const whole =
    complaints.length < MAX_STDERR ? complaints : complaints.slice(0, complaints.lastIndexOf('\n'));
  const lines = whole.trim().split('\n');
  return lines.every((line) => /\(os error \d+\)$|File system loop found/.test(line.trim()));
}
