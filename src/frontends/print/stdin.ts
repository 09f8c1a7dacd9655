import { createInterface } from 'node:readline';

const FIRST_BYTE_MS = 3000;

/**
 * All of standard input, or null when there is none. A pipe without a writer must not hang the program, so
 * the wait for its first byte is limited, unless the user asked to wait.
 */
export async function readStdin(stdin: NodeJS.ReadStream, wait: 'patient' | 'brief'): Promise<string | null> {
  if (stdin.isTTY) return null;
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      stdin.destroy();
      resolve(null);
    };
    const timer = wait === 'brief' ? setTimeout(giveUp, FIRST_BYTE_MS) : undefined;
    stdin.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    stdin.on('end', () => {
      clearTimeout(timer);
      const text = Buffer.concat(chunks).toString('utf8');
      resolve(text.trim() === '' ? null : text);
    });
    stdin.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      // A closed descriptor or a background process without a terminal: there is nothing to read.
      if (error.code === 'EAGAIN' || error.code === 'EIO' || error.code === 'EBADF') resolve(null);
      else reject(error);
    });
  });
}

/** One line at a time, as they arrive, until the end or the signal. */
export async function* readLines(stdin: NodeJS.ReadStream, signal: AbortSignal): AsyncGenerator<string> {
  const lines = createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
  for await (const line of lines) {
    if (signal.aborted) return;
    if (line.trim() !== '') yield line;
  }
}
