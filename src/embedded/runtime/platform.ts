import path from 'node:path';

/** The compute backend. */
export type Gpu = 'cuda' | 'metal' | 'vulkan' | 'none';

export type Machine = {
  platform: NodeJS.Platform;
  arch: string;
  /** Whether a file, folder or device exists. */
  exists(file: string): boolean;
  /** The text of a file; null if it cannot be read. */
  read(file: string): string | null;
  env: NodeJS.ProcessEnv;
};

/**
 * The parts of llama.cpp that a machine needs: `packages` by name without the scope. `missing` says why a graphics card
 * is not used, or not in the fastest way.
 */
export type PlatformParts = { gpu: Gpu; packages: string[]; missing: string[] };

/** Systems with a single variant. */
const SINGLE: Record<string, string> = {
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'linux-riscv64': 'linux-riscv64',
  'darwin-x64': 'mac-x64',
  'win32-arm64': 'win-arm64',
};

/**
 * `wanted` overrides detection. A GPU package is accompanied by the CPU one, in case drivers disappear. Null
 * if llama.cpp is not built for the system.
 */
export function partsFor(machine: Machine, wanted?: Gpu): PlatformParts | null {
  const { platform, arch } = machine;
  if (platform === 'darwin' && arch === 'arm64')
    return { gpu: 'metal', packages: ['mac-arm64-metal'], missing: [] };
  const single = SINGLE[`${platform}-${arch}`];
  if (single !== undefined) return { gpu: 'none', packages: [single], missing: [] };
  if (arch !== 'x64' || (platform !== 'linux' && platform !== 'win32')) return null;
  const base = platform === 'linux' ? 'linux-x64' : 'win-x64';
  const cuda = [`${base}-cuda`, `${base}-cuda-ext`];
  const vulkan = [`${base}-vulkan`];
  if (wanted !== undefined) {
    const packages = { cuda, vulkan, metal: [], none: [] }[wanted];
    return { gpu: wanted, packages: [base, ...packages], missing: [] };
  }
  const found = platform === 'linux' ? gpusOfLinux(machine) : gpusOfWindows(machine);
  const packages = [
    base,
    ...(found.cuda.length > 0 ? [`${base}-cuda`] : []),
    ...(found.cuda.includes(OLDER_CUDA) ? [`${base}-cuda-ext`] : []),
    ...(found.vulkan ? vulkan : []),
  ];
  return { gpu: gpusOf(packages)[0] ?? 'none', packages, missing: found.missing };
}

/** What these packages can compute on beside the CPU, the fastest first. */
export function gpusOf(packages: readonly string[]): Exclude<Gpu, 'none'>[] {
  const kinds = ['cuda', 'vulkan', 'metal'] as const;
  return kinds.filter((kind) => packages.some((name) => name.endsWith(`-${kind}`)));
}

type FoundGpus = { cuda: number[]; vulkan: boolean; missing: string[] };

const NEWER_CUDA = 13;
/** Of the package `cuda-ext`, whose library is used where the other one cannot be loaded. */
const OLDER_CUDA = 12;
/** From NVIDIA's "CUDA Compatibility", chapter "Minor Version Compatibility". */
const OLDEST_DRIVER: Record<number, number> = { [NEWER_CUDA]: 580, [OLDER_CUDA]: 525 };

function gpusOfLinux(machine: Machine): FoundGpus {
  const { exists, read } = machine;
  const has = (folders: readonly string[], file: string) =>
    folders.some((folder) => exists(path.posix.join(folder, file)));
  const module = read('/proc/driver/nvidia/version');
  const isWsl = exists('/usr/lib/wsl/lib/libcuda.so.1');
  const isNvidia = module !== null || isWsl;
  const driver = Number(/(\d+)\.\d+(?:\.\d+)?\b/.exec(module?.split('\n', 1)[0] ?? '')?.[1] ?? 0);
  const libraries = [NEWER_CUDA, OLDER_CUDA].filter(
    (major) => cudaFolder(machine, major) !== null && has(DRIVER_LIBRARIES, 'libcuda.so.1'),
  );
  const cuda = libraries.filter((major) => isWsl || driver >= (OLDEST_DRIVER[major] ?? 0));
  // The loader alone proves nothing: it also exists on machines without a card.
  const card = [...RENDER_NODES, ...NVIDIA_VULKAN].some((file) => exists(file));
  const loader = has(SYSTEM_LIBRARIES, 'libvulkan.so.1');
  const noCuda =
    libraries.length === 0
      ? 'CUDA is not installed (libcudart and libcublas, version 12 or 13)'
      : `driver ${driver} is older than this CUDA needs (${OLDEST_DRIVER[Math.min(...libraries)]})`;
  return {
    cuda: isNvidia ? cuda : [],
    vulkan: card && loader,
    missing: [
      ...(isNvidia && cuda.length === 0 ? [noCuda] : []),
      ...((isNvidia || card) && !loader ? ['Vulkan is not installed (libvulkan.so.1)'] : []),
      ...(isNvidia && loader && !card ? ['the driver came without its Vulkan part'] : []),
    ],
  };
}

/** Libraries are found by name there, so the runtime decides when it starts. */
function gpusOfWindows({ exists }: Machine): FoundGpus {
  const isNvidia = exists('C:\\Windows\\System32\\nvcuda.dll');
  return {
    cuda: isNvidia ? [NEWER_CUDA, OLDER_CUDA] : [],
    vulkan: exists('C:\\Windows\\System32\\vulkan-1.dll'),
    missing: [],
  };
}

const RENDER_NODES = ['/dev/dri/renderD128', '/dev/dri/renderD129'];
const NVIDIA_VULKAN = ['/usr/share/vulkan/icd.d/nvidia_icd.json', '/etc/vulkan/icd.d/nvidia_icd.json'];

const SYSTEM_LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu',
  '/lib/x86_64-linux-gnu',
  '/usr/lib64',
  '/usr/lib',
  '/usr/lib/wsl/lib',
];

/** In containers, the driver's libraries are often mounted into a folder of their own. */
const DRIVER_LIBRARIES = [...SYSTEM_LIBRARIES, '/lib', '/usr/local/nvidia/lib64'];

/** The folder with the libraries of this CUDA version; null if there is none. */
function cudaFolder({ env, exists }: Machine, major: number): string | null {
  const folders = [
    ...(env.LD_LIBRARY_PATH?.split(':').filter((folder) => folder !== '') ?? []),
    ...(env.CUDA_PATH ? [`${env.CUDA_PATH}/lib64`] : []),
    ...[`/usr/local/cuda-${major}`, '/usr/local/cuda', '/opt/cuda'].flatMap((folder) => [
      `${folder}/lib64`,
      `${folder}/targets/x86_64-linux/lib`,
    ]),
    ...SYSTEM_LIBRARIES,
  ];
  const files = ['libcudart', 'libcublas', 'libcublasLt'].map((name) => `${name}.so.${major}`);
  return folders.find((folder) => files.every((file) => exists(path.posix.join(folder, file)))) ?? null;
}

/** Folders with CUDA libraries that the system's loader may not look into, for `LD_LIBRARY_PATH`. */
export function cudaFolders(machine: Machine): string[] {
  const folders = [NEWER_CUDA, OLDER_CUDA].map((major) => cudaFolder(machine, major));
  return folders.filter((folder) => folder !== null && !SYSTEM_LIBRARIES.includes(folder)) as string[];
}
