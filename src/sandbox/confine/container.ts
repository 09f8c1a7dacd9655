import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SandboxLevel, SandboxState } from '../../contract/sandbox.ts';
import { isInside } from '../../lib/paths/inside.ts';
import type { CommandLine, Launch } from './launch.ts';

const DEFAULT_IMAGE = 'alpine:latest';
const INSPECT_MS = 5_000;

export type ContainerLaunch = {
  program: string;
  /** The working directory: the only part of the host that a command sees. */
  mount: string;
  image?: string;
  sandbox: SandboxState;
};

/** A fresh container for each command, removed with it. */
export function launchInContainer(line: CommandLine, options: ContainerLaunch): Launch {
  const { program, sandbox } = options;
  const started = Date.now();
  const args = containerArgs(line, { ...options, level: sandbox.level });
  return {
    file: program,
    args,
    env: line.env,
    sandbox,
    end: () => stopContainer({ program, env: line.env, started, wanted: args.slice(-3) }),
  };
}

type ContainerArgs = Pick<ContainerLaunch, 'mount' | 'image'> & { level: SandboxLevel };

export function containerArgs(
  {
    command,
    folder,
    takesInput,
    readable = [],
  }: Pick<CommandLine, 'command' | 'folder' | 'takesInput' | 'readable'>,
  { mount, image = DEFAULT_IMAGE, level }: ContainerArgs,
): string[] {
  const shown = readable.filter(isMountable);
  const inside = isInside(mount, folder)
    ? path.posix.join('/workspace', path.relative(mount, folder).split(path.sep).join('/'))
    : folder;
  return [
    ...['run', '--rm'],
    ...(takesInput ? ['-i'] : []),
    ...(level === 'strict' ? ['--read-only', '--tmpfs', '/tmp'] : []),
    ...['-v', `${mount}:/workspace${level === 'strict' ? ':ro' : ''}`],
    ...shown.flatMap((file) => ['-v', `${file}:${file}:ro`]),
    ...['-w', inside.replace(/\/$/, '')],
    ...(level === 'permissive' ? [] : ['--network', 'none']),
    ...['--memory', '512m', '--cpus', '1', '--security-opt', 'no-new-privileges'],
    ...[image, 'sh', '-c', command],
  ];
}

/** An image has its own system folders, and an engine would create a folder for a missing path. */
function isMountable(file: string): boolean {
  return !/^\/((bin|dev|etc|lib\w*|proc|sbin|sys|usr|workspace)(\/|$)|$)/.test(file) && existsSync(file);
}

type Wanted = { program: string; env: Readonly<Record<string, string>>; started: number; wanted: string[] };

/**
 * The engine runs the command, not the client we started, so signalling the client does not stop it. The
 * container has no name we set; it is identified by its command and by being no older than the call.
 */
async function stopContainer({ program, env, started, wanted }: Wanted): Promise<void> {
  const ask = (args: string[]) =>
    new Promise<string>((resolve) => {
      execFile(program, args, { env: { ...env }, timeout: INSPECT_MS }, (_error, stdout) => resolve(stdout));
    });
  const ids = (await ask(['ps', '-q', '--no-trunc'])).split(/\s+/).filter(Boolean);
  if (ids.length === 0) return;
  const inspected = await ask(['inspect', '--format', '{{.Id}}\t{{.Created}}\t{{json .Config.Cmd}}', ...ids]);
  const ours = inspected.split('\n').flatMap((line) => {
    const [id = '', created = '', command] = line.split('\t');
    const same = command !== undefined && isDeepStrictEqual(JSON.parse(command), wanted);
    return same && createdAt(created) >= started - 1_000 ? [id] : [];
  });
  if (ours.length > 0) await ask(['stop', '-t', '1', ...ours]);
}

/** `2026-01-02T03:04:05.678Z` in one engine, `2026-01-02 03:04:05.678 +0000 UTC` in the other. */
function createdAt(text: string): number {
  return Date.parse(text.replace(/^(\S+) (\S+) ([+-]\d\d)(\d\d).*$/, '$1T$2$3:$4'));
}
