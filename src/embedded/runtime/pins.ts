import { PLATFORM_PINS, SHARED_PINS } from './runtime-pins.ts';

/** One pinned package. `at` is its path under `node_modules`. */
export type Pin = { at: string; name: string; version: string; sha512: string; bytes: number };

/** All packages for a system with these platform packages. */
export function pinsFor(platformPackages: readonly string[]): Pin[] {
  const platform = readPins(PLATFORM_PINS);
  return [
    ...readPins(SHARED_PINS),
    ...platformPackages.map((wanted) => {
      const pin = platform.find(({ name }) => name === `@node-llama-cpp/${wanted}`);
      if (!pin) throw new Error(`The package ${wanted} is not pinned.`);
      return pin;
    }),
  ];
}

/** The URL of its archive in a registry. */
export function archiveUrl({ name, version }: Pin, registry: string): string {
  const file = `${name.split('/').at(-1) ?? name}-${version}.tgz`;
  return `${registry.replace(/\/+$/, '')}/${name}/-/${file}`;
}

function readPins(text: string): Pin[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [at = '', version = '', sha512 = '', bytes = ''] = line.split(' ');
      return { at, name: at.split('node_modules/').at(-1) ?? at, version, sha512, bytes: Number(bytes) };
    });
}
