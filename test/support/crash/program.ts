import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cleanEnv } from '../aca.ts';
import { programLine } from '../program.ts';
import type { Workspace } from '../workspace.ts';

/** Why strace cannot be used here, or null. */
export const noStrace: string | null = whyNoStrace();

function whyNoStrace(): string | null {
  if (process.platform !== 'linux') return 'strace is for Linux';
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'], {
      stdio: 'pipe',
      timeout: 5_000,
    });
    return null;
  } catch (error) {
    return `strace does not work here: ${error instanceof Error ? error.message.trim() : String(error)}`;
  }
}

/** What happens to the running program. `strace` are its arguments; `at` may kill it at any moment. */
export type Treatment = { strace?: readonly string[]; at?: (child: ChildProcess) => void };

export type Ran = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

export type Start = { args: readonly string[]; env: Record<string, string>; stdin?: string };

/** The built program, optionally with its system calls traced or made to fail. */
export function runProgram(space: Workspace, start: Start, { strace, at }: Treatment = {}): Promise<Ran> {
  const own = programLine(start.args);
  const line = strace ? ['strace', '-f', ...strace, ...own] : own;
  const [command = '', ...rest] = line;
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, {
      cwd: space.root,
      env: cleanEnv(space, start.env),
      stdio: [start.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const ran: Ran = { code: null, signal: null, stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      ran.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      ran.stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ ...ran, code, signal }));
    // A killed program no longer reads.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(start.stdin);
    at?.(child);
  });
}

export function dataRootOf(space: Workspace): string {
  return path.join(space.home, '.ai-assistant');
}

/** Ids of the sessions on disk. */
export function sessionsIn(space: Workspace): string[] {
  try {
    return readdirSync(path.join(dataRootOf(space), 'sessions')).flatMap((name) =>
      name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : [],
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function journalOf(space: Workspace, id: string): string {
  return path.join(dataRootOf(space), 'sessions', `${id}.jsonl`);
}

/** Kills when the session file has this many lines. */
export function killAtLine(space: Workspace, lines: number): (child: ChildProcess) => void {
  return (child) => {
    const timer = setInterval(() => {
      const [id] = sessionsIn(space);
      if (id === undefined) return;
      if (readFileSync(journalOf(space, id), 'utf8').split('\n').length > lines) child.kill('SIGKILL');
    }, 1);
    child.once('exit', () => clearInterval(timer));
  };
}

export function killAfter(ms: number): (child: ChildProcess) => void {
  return (child) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), ms);
    child.once('exit', () => clearTimeout(timer));
  };
}
