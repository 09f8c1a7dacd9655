import { spawn } from 'node:child_process';
import { UserError } from '../contract/errors.ts';
import { repositoryPrograms } from '../lib/paths/git-programs.ts';
import { safeGitEnvironment } from '../lib/paths/safe-git.ts';
import { programOutside } from './shell/program-path.ts';

/** `out` is the output as text, `bytes` the same unchanged. */
export type GitOutcome = { success: boolean; out: string; err: string; bytes: Buffer };

/** Git on behalf of the user: arguments are passed directly, without a shell. */
export type Git = {
  /** Read-only, and runs none of the programs that a repository names. */
  query(...args: string[]): Promise<GitOutcome>;
  /** As the user would run it, including hooks. `input` is its standard input. */
  act(args: readonly string[], input?: string): Promise<GitOutcome>;
};

export type GitOptions = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The user trusts the folder, and so the programs that its repository names. */
  trusted: boolean;
};

const MAX_OUTPUT = 32 * 1024 * 1024;

export function createGit({ cwd, env, trusted }: GitOptions): Git {
  /** Programs that the environment cannot disable are refused. */
  function requireTrust(): void {
    const because = trusted ? null : repositoryPrograms(cwd);
    if (because !== null)
      throw new UserError(
        `Git was not run here: ${because}.`,
        'Trust this folder with `aca trust`, or run git yourself.',
      );
  }
  return {
    async query(...args) {
      requireTrust();
      return runGit(args, { cwd, env: { ...env, ...safeGitEnvironment() } });
    },
    async act(args, input) {
      requireTrust();
      return runGit(args, { cwd, env, ...(input !== undefined && { input }) });
    },
  };
}

export type GitPlace = {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  input?: string;
  /** An open file for its output, of any size. */
  output?: number;
  signal?: AbortSignal;
};

export function runGit(
  args: readonly string[],
  { cwd, env, input, output, signal }: GitPlace,
): Promise<GitOutcome> {
  return new Promise((resolve, reject) => {
    const given = Object.entries(env).filter(([, value]) => value !== undefined);
    const program = programOutside('git', cwd, env);
    if (program === null) return reject(missing());
    const child = spawn(program, [...args], {
      cwd,
      env: Object.fromEntries(given),
      stdio: [input === undefined ? 'ignore' : 'pipe', output ?? 'pipe', 'pipe'],
      windowsHide: true,
      ...(signal && { signal }),
    });
    const out = collect(child.stdout);
    const err = collect(child.stderr);
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? missing(error) : error),
    );
    child.on('close', (code) => {
      const bytes = out();
      resolve({ success: code === 0, out: bytes.toString('utf8'), err: err().toString('utf8'), bytes });
    });
    // Git may end before it has read everything; its exit code says why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

function missing(cause?: Error): UserError {
  return new UserError('Git is not installed, or not in the PATH.', 'Install it first.', { cause });
}

/** Output beyond the limit is read and discarded, so that git does not block. */
function collect(stream: NodeJS.ReadableStream | null): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (size < MAX_OUTPUT) chunks.push(chunk);
    size += chunk.length;
  });
  return () => Buffer.concat(chunks);
}
