import path from 'node:path';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { CommandLine, Launch } from './launch.ts';
import type { Walls } from './walls.ts';

const PROGRAM = '/usr/bin/sandbox-exec';

export type SeatbeltLaunch = { walls: Walls; sandbox: SandboxState; scratch: string };

/** macOS. `scratch` is a folder for temporary files. */
export function launchInSeatbelt(line: CommandLine, { walls, sandbox, scratch }: SeatbeltLaunch): Launch {
  const profile = seatbeltProfile(walls, { network: sandbox.network, scratch });
  return {
    file: PROGRAM,
    args: ['-p', profile, line.shell.file, ...line.shell.args(line.command)],
    env: { ...line.env, TMPDIR: scratch },
    sandbox,
  };
}

type ProfileOptions = { network: SandboxState['network']; scratch: string };

/** In a profile the last matching rule decides. */
export function seatbeltProfile(walls: Walls, { network, scratch }: ProfileOptions): string {
  const { roots, writable, pinned, readOnly, hidden, shown } = walls;
  const isIn = (place: string) => (file: string) => file.startsWith(`${place}/`);
  // The home folder is closed around what is shown in it; other places are closed inside that.
  const outer = hidden.filter((closed) => [...roots, ...shown].some(isIn(closed.path)));
  const inner = hidden.filter((closed) => !outer.includes(closed)).map((closed) => closed.path);
  const open = [...roots, ...shown].filter((file) => outer.some((closed) => isIn(closed.path)(file)));
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    deny(
      'file-read*',
      outer.map((closed) => closed.path),
    ),
    allow('file-read*', open),
    // Programs look at each folder on the way to a file.
    ...[...new Set(open.flatMap(foldersAbove))].map(
      (folder) => `(allow file-read-metadata (literal ${quoted(folder)}))`,
    ),
    allow('file-write*', [scratch, ...(writable ? roots : [])]),
    // Parent folders of closed files must not be moved.
    ...pinned.map((file) => `(deny file-write-unlink (literal ${quoted(file)}))`),
    deny('file-write*', readOnly),
    deny('file-read* file-write*', inner),
    ...(network === 'open' ? [] : ['(deny network*)']),
    // Services that would act for the command, and the environments of other processes.
    '(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd"))',
    '(deny mach-lookup (global-name-regex #"^com\\.apple\\.coreservices\\."))',
    '(deny appleevent-send)',
    '(deny job-creation)',
    '(deny process-info* (target others))',
    '(deny sysctl-read (sysctl-name "kern.procargs2"))',
  ]
    .filter((rule) => rule !== '')
    .join('\n');
}

function foldersAbove(file: string): string[] {
  const above = path.posix.dirname(file);
  return above === file ? [] : [above, ...foldersAbove(above)];
}

const allow = (what: string, places: readonly string[]) => rule(`allow ${what}`, places);
const deny = (what: string, places: readonly string[]) => rule(`deny ${what}`, places);

function rule(head: string, places: readonly string[]): string {
  return places.length === 0
    ? ''
    : `(${head} ${places.map((place) => `(subpath ${quoted(place)})`).join(' ')})`;
}

/** A string in the profile language, which has these two escapes. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
