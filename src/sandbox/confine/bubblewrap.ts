import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { SandboxState } from '../../contract/sandbox.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { withGitSettings } from '../../lib/paths/safe-git.ts';
import { realPath } from '../files/real-path.ts';
import { type Bridge, bridgeCommand, bridgeSocket } from './bridge.ts';
import { emptied, emptyPlaces, shownPlaces } from './command-view.ts';
import { reportsExit, withExactEnding } from './exact-ending.ts';
import { quietPerl, writingOnlyBelow } from './landlock.ts';
import type { CommandLine, Launch, Variables } from './launch.ts';
import { systemCallFilter } from './seccomp.ts';
import { selfTestCommand } from './self-test.ts';
import type { Walls } from './walls.ts';

/** Sockets of user programs that would do for a command what it may not do itself. */
const hiddenVariables = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
];

const namespaces = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
];
const limits = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** A descriptor of the launched process; see `Launch.filter`. */
const FILTER_FD = 4;
const filter = systemCallFilter();
const filtering = filter ? ['--seccomp', String(FILTER_FD)] : [];

/**
 * Mounted read-only entirely: root inside the sandbox still owns root's files, and a kernel setting is such a
 * file. `/sys` is read-only with the rest of the machine, unless the project is the root folder.
 */
const kernelFolders = ['/proc', '/sys'];
const sealedProc = ['--remount-ro', '/proc'];
const sealedSys = ['--ro-bind', '/sys', '/sys'];

export type BubblewrapLaunch = {
  program: string;
  walls: Walls;
  sandbox: SandboxState;
  /** What is `/tmp` inside. */
  scratch?: string;
  /** Sockets of other programs: unreachable, wherever they are. */
  sockets?: readonly string[];
  bridge?: Bridge;
};

export function launchInBubblewrap(line: CommandLine, options: BubblewrapLaunch): Launch {
  const { program, walls, sandbox, scratch, sockets = [], bridge } = options;
  return {
    file: program,
    args: [
      ...bubblewrapArgs(walls, {
        folder: line.folder,
        sandbox,
        sockets,
        path: line.env.PATH ?? '',
        ...(scratch !== undefined && { scratch }),
      }),
      ...(bridge ? ['--ro-bind', bridge.socket, bridgeSocket] : []),
      '--',
      ...writingOnlyBelow(
        [...(walls.writable ? walls.roots : []), ...emptyPlaces(), '/dev'],
        bridge ? bridgeCommand(line) : withExactEnding(line.command, line),
      ),
    ],
    // Where Git LFS puts copies of the files it looks at.
    env: insideEnvironment(
      line.onlyReads ? withGitSettings(line.env, { 'lfs.storage': '/tmp/lfs' }) : line.env,
    ),
    sandbox,
    ...(filter && { filter }),
    launcher: { reportsExit: bridge !== undefined || reportsExit(line.shell) },
  };
}

type Inside = {
  folder: string;
  sandbox: Pick<SandboxState, 'network'>;
  sockets: readonly string[];
  path: string;
  scratch?: string;
};

/** Mounts, from the root down: deeper ones override. */
function bubblewrapArgs(walls: Walls, inside: Inside): string[] {
  const { folder, sandbox, sockets, path: programs, scratch } = inside;
  const { roots, writable, pinned, readOnly, hidden } = walls;
  const isTop = writable && roots.includes('/');
  const empty = emptyPlaces();
  const isUnseen = (file: string) =>
    [...empty, ...hidden.map((closed) => closed.path)].some(
      (place) => place !== file && isInside(place, file),
    );
  const shown = shownPlaces(walls, programs).filter(
    (file) => isUnseen(file) && !roots.some((root) => isInside(root, file)),
  );
  const reachable = sockets.filter(
    (file) => !isUnseen(file) || [...roots, ...shown].some((place) => isInside(place, file)),
  );
  const mounts = withScratch(scratch, [
    ...empty.map((place) => ({ place, args: ['--tmpfs', place] })),
    ...shown.map((place) => ({ place, args: ['--ro-bind', place, place] })),
    ...hidden.map(({ path: place, type }) => ({
      place,
      args: type === 'folder' ? ['--tmpfs', place] : ['--ro-bind', '/dev/null', place],
    })),
    ...roots
      .filter(isOrdinary)
      .map((place) => ({ place, args: [writable ? '--bind' : '--ro-bind', place, place] })),
    ...pinned.filter(isOrdinary).map((place) => ({ place, args: ['--bind', place, place] })),
    ...reachable.map((place) => ({ place, args: ['--ro-bind', '/dev/null', place] })),
    ...readOnly.map((place) => ({ place, args: ['--ro-bind', place, place] })),
  ]).filter(({ place }) => place !== '/');
  return [
    ...namespaces,
    ...(sandbox.network === 'open' ? [] : ['--unshare-net']),
    ...limits,
    ...filtering,
    ...(isTop ? ['--bind', '/', '/'] : ['--ro-bind', '/', '/']),
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...sealedProc,
    ...(isTop && existsSync('/sys') ? sealedSys : []),
    ...mounts.sort((a, b) => depthOf(a.place) - depthOf(b.place)).flatMap(({ args }) => args),
    ...hidden.flatMap(({ path: place, type }) => (type === 'folder' ? ['--remount-ro', place] : [])),
    ...systemLinks(sandbox),
    ...Object.entries(quietPerl).flatMap((variable) => ['--setenv', ...variable]),
    '--chdir',
    realPath(folder),
  ];
}

type Mount = { place: string; args: string[] };

/**
 * The session's folder as `/tmp`. The folders in there that lead to other mounts are mounts themselves, so that no command
 * can replace them by links for the next one.
 */
function withScratch(scratch: string | undefined, mounts: Mount[]): Mount[] {
  const place = existsSync('/tmp') ? realPath('/tmp') : '/tmp';
  if (scratch === undefined || !mounts.some((mount) => mount.place === place)) return mounts;
  const others = mounts.filter((mount) => mount.place !== place && isInside(place, mount.place));
  const isInOther = (at: string) => others.some((mount) => isInside(mount.place, at));
  const pins = new Set<string>();
  for (const mount of others)
    for (let at = path.dirname(mount.place); at !== place; at = path.dirname(at))
      if (!isInOther(at)) pins.add(at);
  const bind = (at: string): Mount => {
    const source = path.join(scratch, path.relative(place, at));
    makeRealFolder(source);
    return { place: at, args: ['--bind', source, at] };
  };
  const own = [place, ...[...pins].sort()].map(bind);
  return [...own, ...mounts.filter((mount) => mount.place !== place)];
}

/** Parents come first. */
function makeRealFolder(folder: string): void {
  const isFolder = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) return;
  if (isFolder === false) rmSync(folder);
  mkdirSync(folder, { mode: 0o700 });
}

/** The same sandbox without a command: for testing whether it can be created and what it blocks. */
export function probeLaunch(home: string): { args: string[]; filter: Buffer | null } {
  const closedFolders = ['/etc', '/usr', home].filter(
    (folder) => existsSync(folder) && !emptied.some((place) => isInside(place, realPath(folder))),
  );
  return {
    args: [
      ...namespaces,
      '--unshare-net',
      ...limits,
      ...filtering,
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', ...sealedProc, '--tmpfs', '/tmp', '--'],
      ...selfTestCommand({ closedFolders, filtered: filter !== null }),
    ],
    filter,
  };
}

function isOrdinary(place: string): boolean {
  return !kernelFolders.some((folder) => isInside(folder, place));
}

function depthOf(place: string): number {
  return place.split('/').length;
}

/** NixOS has its programs behind a link in /run, and many systems their resolv.conf. */
function systemLinks({ network }: Pick<SandboxState, 'network'>): string[] {
  const system = '/run/current-system';
  const names = network === 'open' && existsSync('/etc/resolv.conf') ? realPath('/etc/resolv.conf') : '';
  return [
    ...linkTo(system).flatMap((target) => ['--symlink', target, system]),
    ...(names.startsWith('/run/') ? ['--ro-bind', names, names] : []),
  ];
}

function linkTo(file: string): string[] {
  return unlessErrno(['ENOENT', 'EINVAL', 'EACCES'], [], () => [readlinkSync(file)]);
}

function insideEnvironment(env: Variables): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !hiddenVariables.includes(name));
  const temporary = ['TMPDIR', 'TMP', 'TEMP'].filter((name) => name in env);
  return { ...Object.fromEntries(kept), ...Object.fromEntries(temporary.map((name) => [name, '/tmp'])) };
}
