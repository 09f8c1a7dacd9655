import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

/** Debian's llama.cpp and what it needs, unpacked side by side: nothing is installed. */
const PACKAGES = [
  'llama.cpp-tools',
  'libllama0',
  'libggml0',
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'libgomp1',
  'libssl3t64',
  'zlib1g',
  'libzstd1',
];
const XZ = '/usr/bin/xz';
const DPKG = '/usr/bin/dpkg-deb';
const MIRROR = 'http://deb.debian.org/debian';
const FOLDER = path.resolve('node_modules/.cache/llama-server');
const CPUS: Readonly<Record<string, { debian: string; triple: string; loader: string }>> = {
  arm64: { debian: 'arm64', triple: 'aarch64-linux-gnu', loader: 'ld-linux-aarch64.so.1' },
  x64: { debian: 'amd64', triple: 'x86_64-linux-gnu', loader: 'ld-linux-x86-64.so.2' },
};

/** Fetches llama-server once, some 25 MB. Returns why it is not available, or an empty text. */
export async function fetchLlamaServer(): Promise<string> {
  const cpu = CPUS[process.arch];
  if (process.platform !== 'linux' || !cpu) return 'Debian has no llama-server for this system';
  if (existsSync(FOLDER)) return '';
  if (![DPKG, XZ].every(existsSync)) return 'dpkg-deb or xz is missing';
  const part = `${FOLDER}.${process.pid}`;
  try {
    await mkdir(part, { recursive: true });
    const index = await download(`dists/sid/main/binary-${cpu.debian}/Packages.xz`);
    const list = execFileSync(XZ, ['-dc'], { input: index, maxBuffer: 1e9 }).toString().split('\n\n');
    for (const name of PACKAGES) {
      const entry = list.find((text) => text.startsWith(`Package: ${name}\n`)) ?? '';
      const field = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(entry)?.[1] ?? '';
      const deb = await download(field('Filename'));
      if (createHash('sha256').update(deb).digest('hex') !== field('SHA256'))
        throw new Error(`${name} has another checksum`);
      await writeFile(path.join(part, 'a.deb'), deb);
      execFileSync(DPKG, ['-x', path.join(part, 'a.deb'), part]);
    }
    await rename(part, FOLDER);
    return '';
  } catch (error) {
    return `llama-server cannot be fetched: ${String(error)}`;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

async function download(file: string): Promise<Buffer> {
  const response = await fetch(`${MIRROR}/${file}`);
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Starts the real server with this model; stopped at the end of the test. */
export async function startLlamaServer(model: string, flags: readonly string[] = []): Promise<string> {
  const cpu = CPUS[process.arch];
  if (!cpu) throw new Error('no llama-server for this system');
  const libraries = path.join(FOLDER, 'usr/lib', cpu.triple);
  const backends = path.join(libraries, 'ggml/backends0');
  // The plainest of the variants for this processor.
  const variants = (await readdir(backends)).filter((name) => name.startsWith('libggml-cpu')).sort();
  const backend = variants.find((name) => /-x64\.so$|armv8\.0/.test(name)) ?? variants[0] ?? '';
  const port = await freePort();
  const child = spawn(
    path.join(libraries, cpu.loader),
    [
      ...['--library-path', `${libraries}:${path.join(libraries, 'llama')}`],
      path.join(FOLDER, 'usr/bin/llama-server'),
      ...['-m', model, '--port', String(port), '--jinja', '-t', '1', ...flags],
    ],
    { cwd: path.dirname(model), env: { GGML_BACKEND_PATH: path.join(backends, backend) }, stdio: 'ignore' },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`llama-server ended with ${child.exitCode}`);
    const { status } = await fetch(`${url}/health`).catch(() => ({ status: 0 }));
    if (status === 200) return url;
    await sleep(100);
  }
}
