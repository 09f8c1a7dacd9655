/** The compute backend. */
export type Gpu = 'cuda' | 'metal' | 'vulkan' | 'none';

export type Machine = {
  platform: NodeJS.Platform;
  arch: string;
  /** Whether a file, folder or device exists. */
  exists(file: string): boolean;
};

/** The parts of llama.cpp that a machine needs: `packages` by name without the scope. */
export type PlatformParts = { gpu: Gpu; packages: string[] };

const NVIDIA: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['/proc/driver/nvidia/version', '/usr/lib/wsl/lib/libcuda.so.1'],
  win32: ['C:\\Windows\\System32\\nvcuda.dll'],
};

const VULKAN: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: [
    '/usr/lib/x86_64-linux-gnu/libvulkan.so.1',
    '/usr/lib64/libvulkan.so.1',
    '/usr/lib/libvulkan.so.1',
    '/lib/x86_64-linux-gnu/libvulkan.so.1',
  ],
  win32: ['C:\\Windows\\System32\\vulkan-1.dll'],
};

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
  if (platform === 'darwin' && arch === 'arm64') return { gpu: 'metal', packages: ['mac-arm64-metal'] };
  const single = SINGLE[`${platform}-${arch}`];
  if (single !== undefined) return { gpu: 'none', packages: [single] };
  if (arch !== 'x64' || (platform !== 'linux' && platform !== 'win32')) return null;
  const base = platform === 'linux' ? 'linux-x64' : 'win-x64';
  const gpu = wanted ?? findGpu(machine);
  if (gpu === 'cuda') return { gpu, packages: [base, `${base}-cuda`, `${base}-cuda-ext`] };
  if (gpu === 'vulkan') return { gpu, packages: [base, `${base}-vulkan`] };
  return { gpu: 'none', packages: [base] };
}

function findGpu({ platform, exists }: Machine): Gpu {
  const has = (files: readonly string[] = []) => files.some((file) => exists(file));
  if (has(NVIDIA[platform])) return 'cuda';
  // The library alone proves nothing: it also exists on machines without a GPU.
  const card = platform === 'win32' || has(['/dev/dri/renderD128', '/dev/dri/renderD129']);
  return card && has(VULKAN[platform]) ? 'vulkan' : 'none';
}
