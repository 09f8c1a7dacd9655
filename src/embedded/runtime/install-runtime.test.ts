import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installRuntime, planSetup, type SetupPlan } from './install-runtime.ts';
import { installedRuntime } from './runtime-folder.ts';

const signal = new AbortController().signal;
let folder: string;
let server: Server;
let registry: string;
/** By the path in the registry. */
let archives: Map<string, Buffer>;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'aca-runtime-'));
  archives = new Map();
  server = createServer((request, response) => {
    const body = archives.get(request.url ?? '');
    if (body) response.writeHead(200, { 'content-length': body.length }).end(body);
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await rm(folder, { recursive: true, force: true });
});

/** A plan for a runtime of two packages in the registry. */
async function smallPlan(): Promise<SetupPlan> {
  const plan = planSetup(folder, {
    platform: 'linux',
    arch: 'x64',
    exists: () => false,
    read: () => null,
    env: {},
  });
  const pins = await Promise.all(
    ['node-llama-cpp', '@node-llama-cpp/linux-x64'].map(async (name) => {
      const bytes = await archive(name);
      archives.set(`/npm/${name}/-/${name.split('/').at(-1)}-1.0.0.tgz`, bytes);
      const sha512 = createHash('sha512').update(bytes).digest('base64');
      return { at: name, name, version: '1.0.0', sha512, bytes: bytes.length };
    }),
  );
  return { ...plan, pins, bytes: pins.reduce((sum, pin) => sum + pin.bytes, 0) };
}

async function archive(name: string): Promise<Buffer> {
  const source = path.join(folder, 'sources', name.replace('/', '-'), 'package');
  await mkdir(path.join(source, 'dist'), { recursive: true });
  await mkdir(path.join(source, 'llama'));
  const scripts = { postinstall: `touch ${path.join(folder, 'ran')}` };
  await writeFile(path.join(source, 'package.json'), JSON.stringify({ name, scripts }));
  await writeFile(path.join(source, 'dist/index.js'), `export const name = '${name}';\n`);
  await writeFile(path.join(source, 'dist/index.d.ts'), 'export const name: string;\n');
  await writeFile(path.join(source, 'llama/gitRelease.bundle'), 'sources to build from');
  const file = path.join(source, '..', 'a.tgz');
  execFileSync('tar', ['-czf', file, '-C', path.dirname(source), 'package']);
  return readFile(file);
}

test('R01 the packages are downloaded, verified and unpacked, and none of their scripts runs', async () => {
  const plan = await smallPlan();
  const told: number[] = [];

  const runtime = await installRuntime(plan, { registry, signal, progress: ({ done }) => told.push(done) });

  expect(runtime).toEqual({ folder: plan.folder, packages: ['linux-x64'] });
  expect(await installedRuntime(folder)).toEqual(runtime);
  expect(told.at(-1)).toBe(plan.bytes);
  const modules = path.join(plan.folder, 'node_modules');
  expect((await readdir(path.join(modules, 'node-llama-cpp/dist'))).sort()).toEqual(['index.js']);
  expect(await readFile(path.join(modules, '@node-llama-cpp/linux-x64/dist/index.js'), 'utf8')).toContain(
    'linux-x64',
  );
  await expect(stat(path.join(modules, 'node-llama-cpp/llama/gitRelease.bundle'))).rejects.toThrow('ENOENT');
  await expect(stat(path.join(folder, 'ran'))).rejects.toThrow('ENOENT');
  expect(await readdir(path.dirname(plan.folder))).toEqual([path.basename(plan.folder)]);
});

test('a package that differs from its pin is rejected, and nothing is installed', async () => {
  const plan = await smallPlan();
  for (const [at, bytes] of archives) archives.set(at, Buffer.concat([bytes, Buffer.from('x')]));

  await expect(installRuntime(plan, { registry, signal })).rejects.toMatchObject({
    name: 'UserError',
    hint: expect.stringContaining('Nothing was installed'),
  });
  expect(await installedRuntime(folder)).toBeNull();
});

test('an unreachable registry is reported with the next steps, and a later attempt resumes', async () => {
  const plan = await smallPlan();
  const address = registry;
  await expect(installRuntime(plan, { registry: 'http://127.0.0.1:9/', signal })).rejects.toMatchObject({
    hint: expect.stringMatching(/^Without a network, copy .* npm_config_registry=URL aca models setup\.$/),
  });
  expect(await installedRuntime(folder)).toBeNull();

  await installRuntime(plan, { registry: address, signal });
  expect(await installedRuntime(folder)).not.toBeNull();
});

test('an abort leaves no partial runtime', async () => {
  const plan = await smallPlan();
  const stop = new AbortController();
  const work = installRuntime(plan, { registry, signal: stop.signal, progress: () => stop.abort() });

  await expect(work).rejects.toThrow('abort');
  expect(await installedRuntime(folder)).toBeNull();
  await expect(stat(`${plan.folder}.building`)).rejects.toThrow('ENOENT');
});

test('two at once: one installs, the other waits for it and uses it', async () => {
  const plan = await smallPlan();
  const waits: unknown[] = [];
  const options = { registry, signal, waiting: (wait: unknown) => waits.push(wait) };
  const [first, second] = await Promise.all([installRuntime(plan, options), installRuntime(plan, options)]);

  expect(second).toEqual(first);
  expect(await installedRuntime(folder)).toEqual(first);
});

test('an unsupported system is told the alternatives', () => {
  const machine = {
    platform: 'freebsd' as const,
    arch: 'x64',
    exists: () => false,
    read: () => null,
    env: {},
  };
  expect(() => planSetup(folder, machine)).toThrow(
    'The embedded runtime is not available for freebsd on x64.',
  );
});
