import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, statSync } from 'node:fs';
import { homedir, release } from 'node:os';
import path from 'node:path';
import type { SandboxKind, SandboxState } from '../../contract/sandbox.ts';
import { writeAtomic } from '../../lib/files/atomic-write.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { pathFolders } from '../../lib/paths/path-folders.ts';
import { sha256 } from '../../lib/sha256.ts';
import { openUnnamedFile } from '../files/unnamed-file.ts';
import { probeLaunch } from './bubblewrap.ts';
import { systemFolders } from './known-paths.ts';
import { findingsIn, type SandboxFinding } from './self-test.ts';

export type WantedSandbox = 'auto' | Exclude<SandboxKind, 'host'> | 'off';

/** What commands will run in. `fallback` says why it is not the requested one. */
export type Found =
  | { kind: Exclude<SandboxKind, 'host'>; program: string }
  | { kind: 'host'; fallback?: string };

export type ChooseOptions = {
  wanted: WantedSandbox;
  platform: NodeJS.Platform;
  /** The environment of commands: where programs are searched. */
  env: Readonly<Record<string, string>>;
  /** Folders that commands can change: a program in there is not trusted. */
  untrusted: readonly string[];
  /** Whether the user configured an image; without one, a container would lack the project's tools. */
  image: boolean;
  /** Remembers that bubblewrap passed its test on this kernel, to avoid testing it at every start. */
  cacheFile?: string;
  /** Called with the results each time bubblewrap is tested. */
  onFindings?(findings: SandboxFinding[]): void;
};

/** Generous: a slow machine must not lose its sandbox. */
const SELF_TEST_MS = 30_000;
/** A hanging engine may never answer. */
const ENGINE_MS = 5_000;

const installation: Record<string, string> = {
  bubblewrap: 'bubblewrap is not installed (apt install bubblewrap, or the equivalent for your system)',
  seatbelt: 'seatbelt is only available on macOS',
  docker: 'docker is not installed',
  podman: 'podman is not installed (apt install podman, or the equivalent for your system)',
};

/** Chooses the strongest available sandbox; never fails. */
export async function chooseSandbox(options: ChooseOptions): Promise<Found> {
  const { wanted } = options;
  if (wanted === 'off') return { kind: 'host' };
  const reasons: string[] = [];
  for (const kind of wanted === 'auto' ? candidates(options) : [wanted]) {
    const found = await probe(kind, options);
    if (found.type === 'works') return { kind, program: found.program };
    reasons.push(found.because);
  }
  return { kind: 'host', fallback: reasons[0] ?? 'none is available for this system' };
}

/**
 * The notice for a user whose commands are not in the requested sandbox, or null. `asks`: a user is available
 * to approve.
 */
export function fallbackNotice({ kind, fallback }: SandboxState, { asks }: { asks: boolean }): string | null {
  if (kind !== 'host' || fallback === undefined) return null;
  const others = asks
    ? 'You will be asked about every command that does more than read'
    : 'Commands that do more than read are refused';
  return `Commands run without a sandbox: ${fallback}. ${others}, unless an allow rule names that exact command.`;
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
  if (kind === 'bubblewrap') return probeBubblewrap(program, options);
  // An engine can be stopped at any time, so a cached result is meaningless.
  const trouble = await tryOut(program, ['info'], options.env);
  if (trouble === null) return { type: 'works', program };
  return { type: 'missing', because: `${kind} is not responding (${trouble})` };
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

/** A sandbox that fails its own test is not used. */
async function probeBubblewrap(program: string, options: ChooseOptions): Promise<Probed> {
  const { cacheFile, env } = options;
  const launch = probeLaunch(homedir());
  const key = keyOf(program, launch.args);
  if (cacheFile !== undefined && remembered(cacheFile) === key) return { type: 'works', program };
  const { trouble, output } = await testBubblewrap(program, launch, env);
  options.onFindings?.(findingsIn(output));
  if (trouble !== null) return { type: 'missing', because: `bubblewrap does not work here (${trouble})` };
  if (cacheFile !== undefined) await remember(cacheFile, key);
  return { type: 'works', program };
}

type Tested = { trouble: string | null; output: string };

function testBubblewrap(
  program: string,
  { args, filter }: ReturnType<typeof probeLaunch>,
  env: ChooseOptions['env'],
): Promise<Tested> {
  return new Promise((resolve) => {
    const filterFile = filter ? openUnnamedFile(filter) : null;
    const child = spawn(program, args, {
      cwd: '/',
      env: { ...env },
      timeout: SELF_TEST_MS,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', filterFile ?? 'ignore'],
    });
    if (filterFile !== null) closeSync(filterFile);
    const [output, words] = [child.stdout, child.stderr].map((stream) => {
      const chunks: Buffer[] = [];
      stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
      return () => Buffer.concat(chunks).toString('utf8');
    });
    const end = (failed: string | null) => {
      const trouble = failed === null ? null : lastLine(words?.() ?? '') || failed;
      resolve({ trouble, output: output?.() ?? '' });
    };
    child.once('error', (error) => end(error.message));
    child.once('close', (code, signal) => end(code === 0 ? null : signal ? 'timed out' : 'no reason given'));
  });
}

/** Null if it works, else the end of its error output. */
function tryOut(program: string, args: readonly string[], env: ChooseOptions['env']): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { cwd: '/', env: { ...env }, timeout: ENGINE_MS, windowsHide: true };
    execFile(program, [...args], options, (error, _stdout, stderr) => {
      if (!error) return resolve(null);
      resolve(
        lastLine(stderr) || (error.killed ? 'timed out' : error.message.split('\n')[0] || 'no reason given'),
      );
    });
  });
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  return line.replace(/^bwrap: /, '');
}

/** Another kernel, program, user or test must be tested again. */
function keyOf(program: string, args: readonly string[]): string {
  const user = process.geteuid?.() ?? '';
  return `${release()} ${program} ${statSync(program).mtimeMs} ${user} ${sha256(args.join('\0'))}`;
}

function remembered(file: string): string | null {
  return unlessErrno(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ENXIO'], null, () =>
    readRegularText(file),
  );
}

/** A failed write only costs the next start a few milliseconds. */
async function remember(file: string, key: string): Promise<void> {
  await writeAtomic(file, key, 0o600).catch(() => undefined);
}
