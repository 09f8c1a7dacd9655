import { expect, test } from 'vitest';
import { pinsFor } from './pins.ts';
import { cudaFolders, type Machine, type PlatformParts, partsFor } from './platform.ts';

type Extra = { files?: string[]; driver?: string; env?: NodeJS.ProcessEnv };

function machine(
  platform: NodeJS.Platform,
  arch: string,
  { files = [], driver, env = {} }: Extra = {},
): Machine {
  const version = `NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  ${driver}  Release Build`;
  return {
    ...{ platform, arch, env },
    exists: (file) => files.includes(file),
    read: (file) => (file === '/proc/driver/nvidia/version' && driver !== undefined ? version : null),
  };
}

const system = '/usr/lib/x86_64-linux-gnu';
const card = '/dev/dri/renderD128';
const loader = `${system}/libvulkan.so.1`;
const driverLibrary = `${system}/libcuda.so.1`;
const cuda = (major: number, folder = system) =>
  ['libcudart', 'libcublas', 'libcublasLt'].map((name) => `${folder}/${name}.so.${major}`);
const toolkit = '/usr/local/cuda/targets/x86_64-linux/lib';

test.each<[what: string, here: Machine, parts: PlatformParts]>([
  ['a plain Linux machine', machine('linux', 'x64'), { gpu: 'none', packages: ['linux-x64'], missing: [] }],
  [
    'a driver without CUDA and Vulkan',
    machine('linux', 'x64', { driver: '580.159.04', files: [driverLibrary] }),
    {
      gpu: 'none',
      packages: ['linux-x64'],
      missing: [
        'CUDA is not installed (libcudart and libcublas, version 12 or 13)',
        'Vulkan is not installed (libvulkan.so.1)',
      ],
    },
  ],
  [
    'a driver and Vulkan without CUDA',
    machine('linux', 'x64', { driver: '580.159.04', files: [driverLibrary, card, loader] }),
    {
      gpu: 'vulkan',
      packages: ['linux-x64', 'linux-x64-vulkan'],
      missing: ['CUDA is not installed (libcudart and libcublas, version 12 or 13)'],
    },
  ],
  [
    'CUDA 13 beside Vulkan',
    machine('linux', 'x64', { driver: '590.44.01', files: [driverLibrary, ...cuda(13), card, loader] }),
    { gpu: 'cuda', packages: ['linux-x64', 'linux-x64-cuda', 'linux-x64-vulkan'], missing: [] },
  ],
  [
    'CUDA 12 in a folder of its own',
    machine('linux', 'x64', {
      driver: '535.1.2',
      env: { LD_LIBRARY_PATH: '/opt/a:/opt/b' },
      files: [driverLibrary, ...cuda(12, '/opt/b'), loader, card],
    }),
    {
      gpu: 'cuda',
      packages: ['linux-x64', 'linux-x64-cuda', 'linux-x64-cuda-ext', 'linux-x64-vulkan'],
      missing: [],
    },
  ],
  [
    'both versions of CUDA, and a driver for the older one',
    machine('linux', 'x64', { driver: '570.10', files: [driverLibrary, ...cuda(13, toolkit), ...cuda(12)] }),
    {
      gpu: 'cuda',
      packages: ['linux-x64', 'linux-x64-cuda', 'linux-x64-cuda-ext'],
      missing: ['Vulkan is not installed (libvulkan.so.1)'],
    },
  ],
  [
    'CUDA 13 with a driver of the time before',
    machine('linux', 'x64', { driver: '570.10', files: [driverLibrary, ...cuda(13, toolkit)] }),
    {
      gpu: 'none',
      packages: ['linux-x64'],
      missing: ['driver 570 is older than this CUDA needs (580)', 'Vulkan is not installed (libvulkan.so.1)'],
    },
  ],
  [
    'Linux in Windows',
    machine('linux', 'x64', { files: ['/usr/lib/wsl/lib/libcuda.so.1', ...cuda(12)] }),
    {
      gpu: 'cuda',
      packages: ['linux-x64', 'linux-x64-cuda', 'linux-x64-cuda-ext'],
      missing: ['Vulkan is not installed (libvulkan.so.1)'],
    },
  ],
  [
    'another card',
    machine('linux', 'x64', { files: [card, loader] }),
    { gpu: 'vulkan', packages: ['linux-x64', 'linux-x64-vulkan'], missing: [] },
  ],
  [
    'Vulkan without a card',
    machine('linux', 'x64', { files: [loader] }),
    { gpu: 'none', packages: ['linux-x64'], missing: [] },
  ],
  [
    'a Mac of today',
    machine('darwin', 'arm64'),
    { gpu: 'metal', packages: ['mac-arm64-metal'], missing: [] },
  ],
  ['an older Mac', machine('darwin', 'x64'), { gpu: 'none', packages: ['mac-x64'], missing: [] }],
  ['a Raspberry Pi', machine('linux', 'arm64'), { gpu: 'none', packages: ['linux-arm64'], missing: [] }],
  [
    'Windows with Vulkan',
    machine('win32', 'x64', { files: ['C:\\Windows\\System32\\vulkan-1.dll'] }),
    { gpu: 'vulkan', packages: ['win-x64', 'win-x64-vulkan'], missing: [] },
  ],
])('%s gets the packages it can use, and the reason why no more', (_, here, parts) => {
  expect(partsFor(here)).toEqual(parts);
  expect(
    pinsFor(parts.packages)
      .slice(-parts.packages.length)
      .map(({ name }) => name),
  ).toEqual(parts.packages.map((name) => `@node-llama-cpp/${name}`));
});

test('folders of CUDA that the loader does not know are named to it', () => {
  const here = machine('linux', 'x64', { files: [...cuda(13, toolkit), ...cuda(12)] });
  expect(cudaFolders(here)).toEqual([toolkit]);
});

test("the user's setting overrides detection", () => {
  const here = machine('linux', 'x64', { driver: '590.44.01', files: [driverLibrary, ...cuda(13)] });
  expect(partsFor(here, 'none')).toEqual({ gpu: 'none', packages: ['linux-x64'], missing: [] });
});

test('an unsupported system is detected', () => {
  expect(partsFor(machine('freebsd', 'x64'))).toBeNull();
});

test('every pinned package has a checksum and a size', () => {
  const pins = pinsFor(['linux-x64']);
  expect(pins.length).toBeGreaterThan(50);
  expect(
    pins.filter(({ sha512, bytes }) => Buffer.from(sha512, 'base64').length !== 64 || !(bytes > 0)),
  ).toEqual([]);
});
