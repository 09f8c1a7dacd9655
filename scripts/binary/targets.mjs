// The platforms a binary is built for, and the packages it needs there.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from '../bundle.mjs';

const run = promisify(execFile);
/** The compiler of the binary and its checksums. No installation of this repository needs its 200 MB. */
const bunPins = JSON.parse(await readFile(new URL('bun.json', import.meta.url), 'utf8'));
const cache = path.join(root, 'node_modules/.cache/binary');

/** The `keyring` package name includes the C library. */
export const targets = {
  'linux-x64': { os: 'linux', cpu: 'x64', bun: '@oven/bun-linux-x64', keyring: 'linux-x64-gnu' },
  'linux-arm64': { os: 'linux', cpu: 'arm64', bun: '@oven/bun-linux-aarch64', keyring: 'linux-arm64-gnu' },
  'darwin-x64': { os: 'darwin', cpu: 'x64', bun: '@oven/bun-darwin-x64', keyring: 'darwin-x64' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64', bun: '@oven/bun-darwin-aarch64', keyring: 'darwin-arm64' },
  'windows-x64': { os: 'win32', cpu: 'x64', bun: '@oven/bun-windows-x64', keyring: 'win32-x64-msvc' },
};

/** Null if no binary is built for this machine. */
export const here =
  Object.keys(targets).find(
    (name) => targets[name].os === process.platform && targets[name].cpu === process.arch,
  ) ?? null;

/** File extension of a target's executables. */
export const exe = ({ os }) => (os === 'win32' ? '.exe' : '');

/** The folder of each package in a target's binary. */
export async function partsOf(target) {
  const { os, cpu, bun, keyring } = targets[target];
  return {
    bun: await fetched({ name: bun, version: bunPins.version, integrity: bunPins.integrity[bun] }),
    ripgrep: await packageFolder('@vscode/ripgrep', `@vscode/ripgrep-${os}-${cpu}`),
    keyring: await packageFolder('@napi-rs/keyring', `@napi-rs/keyring-${keyring}`),
  };
}

/** The Bun runtime of a target. */
export async function bunFor(target) {
  const { bun } = await partsOf(target);
  return path.join(bun, 'bin', `bun${exe(targets[target])}`);
}

/** What a package's download must hash to, by the lock file or, for Bun, by bun.json. */
export function integrityOf(name, lock) {
  return bunPins.integrity[name] ?? lock[`node_modules/${name}`]?.integrity;
}

/** Where a package is: installed, fetched before, or fetched now, in the version its parent requires. */
async function packageFolder(parent, name) {
  const installed = path.join(root, 'node_modules', name);
  if (await exists(installed)) return installed;
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8')).packages;
  const version = lock[`node_modules/${parent}`].optionalDependencies[name];
  return fetched({ name, version, integrity: integrityOf(name, lock) });
}

/** The folder of a package from the registry, downloaded once. It must match its checksum, if there is one. */
async function fetched({ name, version, integrity: expected }) {
  const folder = path.join(cache, `${name.replaceAll('/', '-')}-${version}`);
  if (await exists(folder)) return folder;

  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(path.join(cache, 'fetch-'));
  try {
    // npm is a script on Windows, which only a shell can start.
    const shell = process.platform === 'win32';
    const { stdout } = await run('npm', ['pack', '--json', `${name}@${version}`], { cwd: fresh, shell });
    const [{ filename, integrity }] = JSON.parse(stdout);
    if (expected !== undefined && expected !== integrity) {
      throw new Error(`${name}@${version} was downloaded with ${integrity} instead of ${expected}.`);
    }
    await run('tar', ['-xzf', filename], { cwd: fresh });
    await rename(path.join(fresh, 'package'), folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return folder;
}

async function exists(file) {
  return stat(file).then(
    () => true,
    () => false,
  );
}
