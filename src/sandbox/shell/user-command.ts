import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { startFailure, startOrExplain } from '../../lib/paths/start-failure.ts';
import { openUnnamedFile } from '../files/unnamed-file.ts';

const MAX_BYTES = 64 * 1024;

export type UserCommand = {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Standard input. Bytes are a file that can be opened again as /dev/stdin, except on Windows. */
  input?: string | Buffer;
  timeoutMs: number;
  signal?: AbortSignal;
};

/** What it printed, or why there is nothing. */
export type Printed = { type: 'printed'; text: string } | { type: 'failed'; because: string };

/** Runs a command from the user's own settings, with the user's permissions and without a terminal. */
export function runUserCommand(run: UserCommand): Promise<Printed> {
  const { command, cwd, env, input = '', timeoutMs, signal } = run;
  const file = Buffer.isBuffer(input) && process.platform !== 'win32' ? openUnnamedFile(input) : null;
  return new Promise((resolve) => {
    const start = () =>
      spawn(command, {
        cwd,
        env: env as NodeJS.ProcessEnv,
        shell: true,
        // A group of its own, so that all of it can be ended.
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: [file ?? 'pipe', 'pipe', 'pipe'],
      });
    let child: ChildProcess;
    try {
      child = startOrExplain(start, { cwd });
    } catch (error) {
      return resolve({ type: 'failed', because: (error as Error).message });
    } finally {
      if (file !== null) closeSync(file);
    }
    let text = '';
    let errors = '';
    let isEnded = false;
    const end = (printed: Printed) => {
      if (isEnded) return;
      isEnded = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(printed);
    };
    const kill = () => {
      try {
        if (child.pid !== undefined)
          process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    const stop = () => {
      kill();
      end({ type: 'failed', because: 'it was stopped' });
    };
    const timer = setTimeout(() => {
      kill();
      end({ type: 'failed', because: `it took longer than ${timeoutMs / 1000}s` });
    }, timeoutMs);
    signal?.addEventListener('abort', stop);
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      if (text.length < MAX_BYTES) text += part;
    });
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      if (errors.length < MAX_BYTES) errors += part;
    });
    child.on('error', (error) => end({ type: 'failed', because: startFailure(error, { cwd }) }));
    child.on('close', (code) =>
      end(
        code === 0
          ? { type: 'printed', text }
          : { type: 'failed', because: errors.trim().split('\n')[0] || `exit code ${code}` },
      ),
    );
    // It need not read its input.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
