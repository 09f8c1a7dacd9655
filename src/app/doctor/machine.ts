import { constants, existsSync, statSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { release } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { isRoot, ROOT_NOTICE } from '../../assembly/safety/running-as-root.ts';
import type { HealthCheck } from '../../contract/command.ts';
import { isNewer } from '../../lib/text/version-order.ts';
import { version } from '../../lib/version.ts';
import { programVersion } from '../../sandbox/shell/program-version.ts';
import { thisInstall } from '../update/install-method.ts';
import { bad, ok, warn } from './check.ts';

/** Older ones get no security updates any more: Node 20 reached its end of life on 30 April 2026. */
const MAINTAINED_NODE = '22.0.0';

const LITTLE_BYTES = 500 * 1024 * 1024;
const TOO_LITTLE_BYTES = 20 * 1024 * 1024;

export function programChecks(program?: string): HealthCheck[] {
  const { platform, arch } = process;
  const runtime =
    process.versions.bun === undefined ? `Node ${process.version}` : `Bun ${process.versions.bun}`;
  const text = `version ${version}, installed ${thisInstall(program).how}; ${runtime} on ${platform} ${arch} (${release()})`;
  const isOld = process.versions.bun === undefined && isNewer(MAINTAINED_NODE, process.versions.node);
  return [
    isOld
      ? warn(
          'program',
          `${text}. This version of Node gets no more security updates`,
          'Update to Node 22 or newer, or install the standalone binary, which needs no Node.',
        )
      : ok('program', text),
  ];
}

/** A warning when running as root. */
export function userChecks(): HealthCheck[] {
  return isRoot() ? [warn('user', ROOT_NOTICE, 'Run as a regular user if you can.')] : [];
}

/** Whether the data root can be written, and how much disk space is left. */
export async function dataRootChecks(root: string): Promise<HealthCheck[]> {
  // The check leaves no trace: a missing root is checked through its nearest existing parent.
  const place = nearestFolder(root);
  try {
    await access(place, constants.R_OK | constants.W_OK);
  } catch (error) {
    return [
      bad(
        'data root',
        `${root} is not writable: ${(error as Error).message}`,
        'Make it writable, or set AI_ASSISTANT_HOME to another folder.',
      ),
    ];
  }
  const { bavail, bsize } = await statfs(place);
  const text = place === root ? root : `${root} (created when first needed)`;
  const isOpen = place === root && process.platform !== 'win32' && (statSync(root).mode & 0o077) !== 0;
  const check = isOpen
    ? warn(
        'data root',
        `${root} can be read by other users, and its permissions could not be changed`,
        'Set AI_ASSISTANT_HOME to a folder of your own.',
      )
    : ok('data root', text);
  return [check, diskCheck(bavail * bsize)];
}

function nearestFolder(root: string): string {
  let folder = root;
  while (!existsSync(folder) && path.dirname(folder) !== folder) folder = path.dirname(folder);
  return folder;
}

export function diskCheck(free: number): HealthCheck {
  const text = `${(free / 1024 ** 3).toFixed(1)} GB free`;
  const next =
    'Run `aca sessions usage` to see what uses space, or `aca sessions clean` to remove old sessions.';
  if (free < TOO_LITTLE_BYTES) return bad('disk', text, next);
  return free < LITTLE_BYTES ? warn('disk', text, next) : ok('disk', text);
}

export async function searchCheck(): Promise<HealthCheck> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    await access(rgPath, constants.X_OK);
    return ok('search', 'ripgrep found');
  } catch (error) {
    return bad(
      'search',
      `ripgrep is missing, so Grep and Glob fail: ${(error as Error).message}`,
      'Reinstall the program, including its package @vscode/ripgrep.',
    );
  }
}

/** Programs that some features need. None is required by all. */
export async function programsAround(place: {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<HealthCheck[]> {
  const [git, docker, podman] = await Promise.all([
    programVersion('git', place),
    programVersion('docker', place),
    programVersion('podman', place),
  ]);
  const engines = [docker, podman].filter((one) => one !== null);
  return [
    git === null
      ? warn(
          'git',
          'not found',
          'Install git; without it, /commit, /branch, /review and --worktree do not work.',
        )
      : ok('git', git),
    ok(
      'containers',
      engines.length > 0
        ? engines.join('; ')
        : 'docker and podman not found; needed only for `sandbox.image`',
    ),
  ];
}

export function clockCheck(now: Date): HealthCheck {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const text = `${now.toISOString().slice(0, 19)}Z, ${zone}`;
  // Earlier than this program's release: the clock was never set.
  return now.getUTCFullYear() < 2026
    ? bad('clock', text, 'Set the system clock; certificates are rejected when it is wrong.')
    : ok('clock', text);
}
