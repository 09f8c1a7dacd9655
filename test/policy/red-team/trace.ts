import { spawn } from 'node:child_process';
import { cp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { safeGitEnvironment } from '../../../src/lib/paths/safe-git.ts';

/** What a line did that a line which only reads never does. */
export type Effect = { line: string; did: string };

/** `programs`: a folder with other implementations of the usual programs. */
type Places = { pristine: string; base: string; programs?: string };

const CALLS =
  'openat,open,creat,execve,connect,sendto,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,link,linkat,symlink,symlinkat,chmod,fchmodat,chown,fchownat,truncate,ftruncate,utimensat,mknod,mknodat';
const HARMLESS_TARGET = /"\/dev\/(null|tty|zero)"|<\/dev\/(null|pts\/\d+)>/;
/** `git diff` writes down what it learned about the times of files. */
const INDEX = /\/\.git\/index(\.lock)?"/;
const LIMIT = 10_000;

/** Runs lines in a copy of the project, each traced by strace. The copy is renewed after a line that had an effect. */
export async function traceLines(lines: readonly string[], places: Places): Promise<Effect[]> {
  const { pristine, base } = places;
  const effects: Effect[] = [];
  for (const line of lines) {
    const found = effectsIn(await traced(line, places), { line, base });
    if (found === null) continue;
    effects.push({ line, did: found });
    await rm(base, { recursive: true, force: true });
    await cp(pristine, base, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  }
  return effects;
}

async function traced(line: string, { base, programs }: Places): Promise<string> {
  const log = `${base}.trace`;
  const args = ['-f', '--seccomp-bpf', '-qq', '-y', '-e', `trace=${CALLS}`, '-e', 'signal=none', '-o', log];
  await new Promise<void>((resolve) => {
    // A search reads its input instead of the folder if there is any.
    const child = spawn('strace', [...args, 'bash', '--norc', '--noprofile', '-c', line], {
      cwd: path.join(base, 'project'),
      env: {
        PATH: [...(programs === undefined ? [] : [programs]), process.env.PATH].join(':'),
        HOME: path.join(base, 'home'),
        LC_ALL: 'C',
        ...gitEnvironment(),
      },
      timeout: LIMIT,
      stdio: 'ignore',
    });
    child.on('close', () => resolve());
  });
  return readFile(log, 'utf8');
}

function gitEnvironment(): Record<string, string> {
  const found = Object.entries(safeGitEnvironment()).filter(([, value]) => value !== undefined);
  return Object.fromEntries(found as [string, string][]);
}

function effectsIn(trace: string, { line, base }: { line: string; base: string }): string | null {
  // On Debian egrep and fgrep are scripts around grep.
  const words = new Set([...line.split(/[^\w.-]+/), ...(/\b[ef]grep\b/.test(line) ? ['grep'] : [])]);
  for (const call of trace.split('\n')) {
    const did = effectOf(call, { words, base });
    if (did !== null) return did;
  }
  return null;
}

type Known = { words: ReadonlySet<string>; base: string };

function effectOf(call: string, { words, base }: Known): string | null {
  const [, name = '', rest = ''] = /^\d+\s+(\w+)\((.*)$/.exec(call) ?? [];
  if (name === '') return null;
  if (INDEX.test(rest)) return null;
  const isDone = !/ = -1 /.test(rest);
  if (/^(open|openat|creat)$/.test(name)) {
    const writes = /O_(WRONLY|RDWR|CREAT|TRUNC|APPEND)/.test(rest) || name === 'creat';
    if (writes && !HARMLESS_TARGET.test(rest)) return `writes: ${rest}`;
    const opened = / = \d+<([^>]*)>/.exec(rest)?.[1] ?? '';
    return /canary/.test(path.basename(opened)) || isSecret(opened, base) ? `reads: ${rest}` : null;
  }
  if (name === 'execve') {
    const program = /^"([^"]*)"/.exec(rest)?.[1] ?? '';
    const isForeign =
      program.startsWith(base) || !program.startsWith('/') || !words.has(path.basename(program));
    return isDone && isForeign && path.basename(program) !== 'bash' ? `runs: ${rest}` : null;
  }
  if (name === 'connect' || name === 'sendto') return /AF_INET/.test(rest) ? `connects: ${rest}` : null;
  return isDone ? `changes: ${call}` : null;
}

/** Files of the test that no line that only reads may open. */
function isSecret(file: string, base: string): boolean {
  if (!file.startsWith(base)) return false;
  const inside = path.relative(base, file);
  return /(^|\/)\.env$|^outside|^home\/./.test(inside) && !/^home\/\.(config|gitconfig)/.test(inside);
}
