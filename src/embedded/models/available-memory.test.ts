import { expect, test } from 'vitest';
import { availableMemory, type MemorySource } from './available-memory.ts';

const GB = 1024 ** 3;
const MEMINFO = 'MemTotal:       16777216 kB\nMemFree:          524288 kB\nMemAvailable:   12582912 kB\n';

function machine(
  platform: NodeJS.Platform,
  files: Record<string, string> = {},
  vmStat: string | null = null,
): MemorySource {
  return {
    platform,
    read: async (file) => files[file] ?? null,
    vmStat: async () => vmStat,
    freemem: () => 0.5 * GB,
  };
}

const group = (folder: string, limit: string, used: number, cached: number) => ({
  [`/sys/fs/cgroup${folder}/memory.max`]: `${limit}\n`,
  [`/sys/fs/cgroup${folder}/memory.current`]: `${used}\n`,
  [`/sys/fs/cgroup${folder}/memory.stat`]: `anon 5\nfile ${cached}\ninactive_file ${cached / 2}\nactive_file ${cached / 2}\n`,
});

const legacy = (folder: string, limit: number, used: number, cached: number) => ({
  [`/sys/fs/cgroup/memory${folder}/memory.limit_in_bytes`]: `${limit}\n`,
  [`/sys/fs/cgroup/memory${folder}/memory.usage_in_bytes`]: `${used}\n`,
  [`/sys/fs/cgroup/memory${folder}/memory.stat`]: `inactive_file 7\ntotal_inactive_file ${cached}\ntotal_active_file 0\n`,
});

const VM_STAT = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10000.
Pages active:                            200000.
Pages inactive:                          190000.
Pages speculative:                         5000.
Pages throttled:                              0.
Pages wired down:                        100000.
Pages purgeable:                           3000.
"Translation faults":                 123456789.
`;

test.each<[string, MemorySource, number]>([
  ['Linux counts cached files as available', machine('linux', { '/proc/meminfo': MEMINFO }), 12 * GB],
  ['an old kernel that does not say it counts free memory', machine('linux'), 0.5 * GB],
  [
    'a control group limits it, and its cached files are available',
    machine('linux', {
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '0::/user/app\n',
      ...group('/user/app', String(4 * GB), 3 * GB, 2 * GB),
    }),
    3 * GB,
  ],
  [
    'a parent group limits it, too',
    machine('linux', {
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '0::/user/app\n',
      ...group('/user/app', 'max', GB, 0),
      ...group('/user', String(2 * GB), GB, 0),
    }),
    GB,
  ],
  [
    'a container that sees the path of its host finds its limit at the root',
    machine('linux', {
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '0::/../../docker/abc\n',
      ...group('', String(2 * GB), GB, 0),
    }),
    GB,
  ],
  [
    'control groups of version 1',
    machine('linux', {
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/\n',
      ...legacy('/docker/abc', 6 * GB, 5 * GB, GB),
    }),
    2 * GB,
  ],
  [
    'a group without a limit of version 1 says a huge number',
    machine('linux', {
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '4:memory:/\n',
      ...legacy('', 2 ** 63, GB, 0),
    }),
    12 * GB,
  ],
  [
    'a group over its limit leaves nothing',
    machine('linux', {
      '/proc/meminfo': MEMINFO,
      '/proc/self/cgroup': '0::/\n',
      ...group('', String(GB), 2 * GB, 0),
    }),
    0,
  ],
  ['macOS counts inactive and purgeable pages', machine('darwin', {}, VM_STAT), 208_000 * 16_384],
  ['macOS without vm_stat counts free memory', machine('darwin'), 0.5 * GB],
  ['Windows reports available memory as free', machine('win32'), 0.5 * GB],
])('%s', async (_, source, bytes) => {
  expect(await availableMemory(source)).toBe(bytes);
});

test('this machine has some memory, and not more than there is', async () => {
  const { totalmem } = await import('node:os');
  const bytes = await availableMemory();
  expect(bytes).toBeGreaterThan(16 * 1024 ** 2);
  expect(bytes).toBeLessThanOrEqual(totalmem());
});
