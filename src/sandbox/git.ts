import { spawn } from 'node:child_process';
import { UserError } from '../contract/errors.ts';
import { type GitUse, gitEnvironment } from '../lib/paths/safe-git.ts';
import { realPath } from './files/real-path.ts';
import { findRepository, programsIn } from './repository.ts';
import { programOutside } from './shell/program-path.ts';

/** `out` is the output as text, `bytes` the same unchanged. */
export type GitOutcome = { success: boolean; out: string; err: string; bytes: Buffer };

/** Git on behalf of the user: arguments are passed directly, without a shell. */
export type Git = {
  /** Read-only, and runs none of the programs that a repository names. */
  query(...args: string[]): Promise<GitOutcome>;
  /**
   * As the user would run it. Hooks and other programs of the repository run only if the user trusts it;
   * `hooks`: the user has seen them and agreed. `input` is its standard input.
   */
  act(args: readonly string[], options?: { input?: string; hooks?: true }): Promise<GitOutcome>;
};

const MAX_OUTPUT = 32 * 1024 * 1024;

export type GitOptions = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** The folder that the user trusts, and so the programs that a repository there names; null if none. */
  trusted: string | null;
};

export function createGit({ cwd, env, trusted }: GitOptions): Git {
  /** Git may work in another repository than the trusted one: that of a parent folder, for example. */
  function isTrusted(): boolean {
    const found = findRepository(cwd, env);
    const top = found !== null && found !== 'unclear' ? found.top : null;
    if (trusted !== null && top !== null && realPath(top) === realPath(trusted)) return true;
    const because = programsIn(found);
    if (because === null) return false;
    throw new UserError(
      `Git was not run here: ${because}.`,
      'Trust this folder with `aca trust`, or run git yourself.',
    );
  }
  return {
    async query(...args) {
      isTrusted();
      return runGit(args, { cwd, env, use: 'read' });
    },
    async act(args, { input, hooks } = {}) {
      const use = isTrusted() ? 'user' : hooks ? 'commit' : 'change';
      return runGit(args, { cwd, env, use, ...(input !== undefined && { input }) });
    },
  };
}

export type GitPlace = {
  cwd: string;
  /** The user's. */
  env: Readonly<Record<string, string | undefined>>;
  /** `user`: exactly as the user would run it, with the programs of a trusted repository. */
  use: GitUse | 'user';
  /** Set in addition, whatever the user's say. */
  variables?: Readonly<Record<string, string>>;
  input?: string;
  /** An open file for its output, of any size. */
  output?: number;
  signal?: AbortSignal;
};

/** The one place that starts git. */
export function runGit(
  args: readonly string[],
  { cwd, env, use, variables, input, output, signal }: GitPlace,
): Promise<GitOutcome> {
  return new Promise((resolve, reject) => {
    const changes = use === 'user' ? {} : gitEnvironment(use, env);
    const given = Object.entries({ ...env, ...changes, ...variables }).filter(
      ([, value]) => value !== undefined,
    );
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
