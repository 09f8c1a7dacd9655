import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
import type { SandboxKind, SandboxState } from '../../contract/sandbox.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { isInside } from '../../lib/inside.ts';
import { pathFolders } from '../../lib/path-folders.ts';
import { readRegularText } from '../../lib/regular-file.ts';
import { isErrno } from '../real-path.ts';
import { probeArgs } from './bubblewrap.ts';
import { systemFolders } from './known-paths.ts';

export type WantedSandbox = 'auto' | Exclude<SandboxKind, 'host'> | 'off';

/** What commands will run in. `fallback` says why it is not what was wanted. */
export type Found =
  | { kind: Exclude<SandboxKind, 'host'>; program: string }
  | { kind: 'host'; fallback?: string };

export type ChooseOptions = {
  wanted: WantedSandbox;
  platform: NodeJS.Platform;
  /** The environment of commands: where programs are looked for. */
  env: Readonly<Record<string, string>>;
  /** Folders that commands can change: a program in there is not to be trusted with this. */
  untrusted: readonly string[];
  /** Whether the user named an image; without one, a container would lack the project's tools. */
  image: boolean;
  /** Remembers that bubblewrap works on this kernel, so that one start in a thousand tries it out. */
  cacheFile?: string;
};

const PROBE_MS = 5_000;

const installation: Record<string, string> = {
  bubblewrap: 'bubblewrap is not installed (apt install bubblewrap, or what your system calls it)',
  seatbelt: 'seatbelt is a part of macOS, and this is not macOS',
  docker: 'docker is not installed',
  podman: 'podman is not installed (apt install podman, or what your system calls it)',
};

/** Takes the strongest there is; never fails. */
export async function chooseSandbox(options: ChooseOptions): Promise<Found> {
  const { wanted } = options;
  if (wanted === 'off') return { kind: 'host' };
  const reasons: string[] = [];
  for (const kind of wanted === 'auto' ? candidates(options) : [wanted]) {
    const found = await probe(kind, options);
    if (found.type === 'works') return { kind, program: found.program };
    reasons.push(found.because);
  }
  return { kind: 'host', fallback: reasons[0] ?? 'there is none for this system' };
}

/**
 * What to tell a user whose commands are not in the sandbox that was wanted; null when there is nothing to tell.
 * `asks`: somebody is there to be asked.
 */
export function fallbackNotice({ kind, fallback }: SandboxState, { asks }: { asks: boolean }): string | null {
  if (kind !== 'host' || fallback === undefined) return null;
  const others = asks
    ? 'You are asked about every command that does more than read'
    : 'Commands that do more than read are refused';
  return `Commands run without a sandbox: ${fallback}. ${others}, unless an allow rule names exactly that command.`;
}

function candidates({ platform, image }: ChooseOptions): Exclude<SandboxKind, 'host'>[] {
  const containers = image ? (['docker', 'podman'] as const) : [];
  if (platform === 'linux') return ['bubblewrap', ...containers];
  return platform === 'darwin' ? ['seatbelt', ...containers] : [...containers];
}

type Probed = { type: 'works'; program: string } | { type: 'missing'; because: string };

async function probe(kind: Exclude<SandboxKind, 'host'>, options: ChooseOptions): Promise<Probed> {
  const program = programOf(kind, options);
  if (program === undefined) return { type: 'missing', because: installation[kind] ?? `${kind} is missing` };
  if (kind === 'seatbelt') return { type: 'works', program };
  if (kind === 'bubblewrap') {
    const key = keyOf(program);
    if (options.cacheFile !== undefined && remembered(options.cacheFile) === key)
      return { type: 'works', program };
    const trouble = await tryOut(program, probeArgs, options.env);
    if (trouble !== null) return { type: 'missing', because: `bubblewrap cannot make one here (${trouble})` };
    if (options.cacheFile !== undefined) await remember(options.cacheFile, key);
    return { type: 'works', program };
  }
  // An engine can be stopped at any time, so that it ran yesterday means nothing.
  const trouble = await tryOut(program, ['info'], options.env);
  if (trouble === null) return { type: 'works', program };
  return { type: 'missing', because: `${kind} does not answer (${trouble})` };
}

function programOf(kind: string, { platform, env, untrusted }: ChooseOptions): string | undefined {
  if (kind === 'seatbelt') return platform === 'darwin' ? '/usr/bin/sandbox-exec' : undefined;
  if (kind === 'bubblewrap' && platform !== 'linux') return undefined;
  const name = kind === 'bubblewrap' ? 'bwrap' : kind;
  return pathFolders(env, platform)
    .filter((folder) => systemFolders.includes(folder) || !untrusted.some((root) => isInside(root, folder)))
    .map((folder) => path.join(folder, platform === 'win32' ? `${name}.exe` : name))
    .find(existsSync);
}

/** Null when it works, else its own last words. */
function tryOut(program: string, args: readonly string[], env: ChooseOptions['env']): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: { ...env }, timeout: PROBE_MS, windowsHide: true };
    execFile(program, [...args], options, (error, _stdout, stderr) => {
      if (!error) return resolve(null);
      const words = stderr
        .trim()
        .split('\n')
        .at(-1)
        ?.replace(/^bwrap: /, '');
      resolve(
        words || (error.killed ? 'no answer in time' : error.message.split('\n')[0] || 'no reason given'),
      );
    });
  });
}

/** Another kernel or another program has to be tried out anew. */
function keyOf(program: string): string {
  return `${release()} ${program} ${statSync(program).mtimeMs}`;
}

function remembered(file: string): string | null {
  try {
    return readRegularText(file);
  } catch (error) {
    if (isErrno(error, ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ENXIO'])) return null;
    throw error;
  }
}

/** A disk that refuses costs the next start a few milliseconds, and nothing else. */
async function remember(file: string, key: string): Promise<void> {
  await writeAtomic(file, key, 0o600).catch(() => undefined);
}
