import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** Where the figures come from. */
export type MemorySource = {
  platform: NodeJS.Platform;
  /** A file's text; null if it cannot be read. */
  read(file: string): Promise<string | null>;
  /** The output of `vm_stat`, on macOS; null if it cannot be had. */
  vmStat(): Promise<string | null>;
  freemem(): number;
};

const thisMachine: MemorySource = {
  platform: process.platform,
  read: (file) => readFile(file, 'utf8').catch(() => null),
  vmStat: () =>
    promisify(execFile)('/usr/bin/vm_stat').then(
      ({ stdout }) => stdout,
      () => null,
    ),
  freemem,
};

/**
 * The memory in bytes that a model can use: free memory, and what the system gives back on demand, such as
 * cached files, within the limits of this process's control groups.
 */
export async function availableMemory(source: MemorySource = thisMachine): Promise<number> {
  const inSystem = await systemMemory(source);
  const limits = source.platform === 'linux' ? await groupMemory(source) : [];
  return Math.max(0, Math.min(inSystem ?? source.freemem(), ...limits));
}

async function systemMemory({ platform, read, vmStat }: MemorySource): Promise<number | null> {
  if (platform === 'linux') {
    const kilobytes = numberIn(await read('/proc/meminfo'), /^MemAvailable:\s+(\d+) kB$/m);
    return kilobytes === null ? null : kilobytes * 1024;
  }
  // Windows counts what it can give back as free.
  return platform === 'darwin' ? reclaimablePages(await vmStat()) : null;
}

function reclaimablePages(text: string | null): number | null {
  const size = numberIn(text, /page size of (\d+) bytes/);
  const kinds = ['free', 'inactive', 'speculative', 'purgeable'];
  const counts = kinds.map((kind) => numberIn(text, new RegExp(`^Pages ${kind}:\\s+(\\d+)\\.`, 'm')));
  if (size === null || counts[0] === null) return null;
  return size * counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

type Hierarchy = { mount: string; limit: string; usage: string; cached: RegExp };

const UNIFIED: Hierarchy = {
  mount: '/sys/fs/cgroup',
  limit: 'memory.max',
  usage: 'memory.current',
  cached: /^(?:in)?active_file (\d+)$/gm,
};
const LEGACY: Hierarchy = {
  mount: '/sys/fs/cgroup/memory',
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  cached: /^total_(?:in)?active_file (\d+)$/gm,
};

/** What each control group around this process leaves. */
async function groupMemory({ read }: MemorySource): Promise<number[]> {
  const lines = (await read('/proc/self/cgroup'))?.split('\n') ?? [];
  const places = lines.flatMap((line) => {
    const [, controllers = '', ...rest] = line.split(':');
    const hierarchy =
      controllers === '' ? UNIFIED : controllers.split(',').includes('memory') ? LEGACY : null;
    return hierarchy ? foldersOf(rest.join(':')).map((folder) => ({ ...hierarchy, folder })) : [];
  });
  const left = places.map(async ({ mount, folder, limit, usage, cached }) => {
    const inGroup = (name: string) => read(path.posix.join(mount, folder, name));
    const most = numberIn(await inGroup(limit), /^(\d+)$/m);
    const used = numberIn(await inGroup(usage), /^(\d+)$/m);
    if (most === null || used === null) return [];
    const files = [...((await inGroup('memory.stat')) ?? '').matchAll(cached)];
    return [most - used + files.reduce((sum, [, bytes]) => sum + Number(bytes), 0)];
  });
  return (await Promise.all(left)).flat();
}

/** The folder and its parents. In a container the path may be that of the host; the root always exists. */
function foldersOf(folder: string): string[] {
  const up = path.posix.dirname(folder);
  return up === folder ? [folder] : [folder, ...foldersOf(up)];
}

function numberIn(text: string | null, pattern: RegExp): number | null {
  const found = pattern.exec(text ?? '')?.[1];
  return found === undefined ? null : Number(found);
}
