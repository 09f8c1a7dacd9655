import { expect, test } from 'vitest';
import { pinsFor } from './pins.ts';
import { type Machine, partsFor } from './platform.ts';

function machine(platform: NodeJS.Platform, arch: string, files: string[] = []): Machine {
  return { platform, arch, exists: (file) => files.includes(file) };
}

const nvidia = '/proc/driver/nvidia/version';
const vulkan = ['/dev/dri/renderD128', '/usr/lib/x86_64-linux-gnu/libvulkan.so.1'];

test.each<[string, Machine, string, string[]]>([
  ['a plain Linux machine', machine('linux', 'x64'), 'none', ['linux-x64']],
  [
    'a Linux machine with an Nvidia driver',
    machine('linux', 'x64', [nvidia, ...vulkan]),
    'cuda',
    ['linux-x64', 'linux-x64-cuda', 'linux-x64-cuda-ext'],
  ],
  [
    'a Linux machine with another card',
    machine('linux', 'x64', vulkan),
    'vulkan',
    ['linux-x64', 'linux-x64-vulkan'],
  ],
  [
    'a Linux machine with the library and no card',
    machine('linux', 'x64', vulkan.slice(1)),
    'none',
    ['linux-x64'],
  ],
  ['a Mac of today', machine('darwin', 'arm64'), 'metal', ['mac-arm64-metal']],
  ['an older Mac', machine('darwin', 'x64'), 'none', ['mac-x64']],
  ['a Raspberry Pi', machine('linux', 'arm64'), 'none', ['linux-arm64']],
  [
    'Windows with Vulkan',
    machine('win32', 'x64', ['C:\\Windows\\System32\\vulkan-1.dll']),
    'vulkan',
    ['win-x64', 'win-x64-vulkan'],
  ],
])('%s gets the packages it can use', (_, here, gpu, packages) => {
  expect(partsFor(here)).toEqual({ gpu, packages });
  expect(
    pinsFor(packages)
      .slice(-packages.length)
      .map(({ name }) => name),
  ).toEqual(packages.map((name) => `@node-llama-cpp/${name}`));
});

test("the user's setting overrides detection", () => {
  expect(partsFor(machine('linux', 'x64', [nvidia]), 'none')).toEqual({
    gpu: 'none',
    packages: ['linux-x64'],
  });
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
