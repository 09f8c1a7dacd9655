// Writes src/embedded/runtime/runtime-pins.ts: the packages of the embedded runtime, each with its version,
// checksum and size. It installs the runtime into a temporary folder, without install scripts, runs it on a
// model and records which packages were loaded: only those are downloaded on a user's machine.
// usage: node scripts/pin-runtime.mjs [VERSION]
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeTinyModel } from './make-tiny-gguf.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const version = process.argv[2] ?? '3.21.1';
const registry = (process.env.npm_config_registry ?? 'https://registry.npmjs.org').replace(/\/+$/, '');
const scope = '@node-llama-cpp/';
const folder = await mkdtemp(path.join(tmpdir(), 'aca-pin-'));

/** Loads what a conversation loads, and prints the packages it came from. */
const trace = `
import { register } from 'node:module';
import { appendFileSync } from 'node:fs';
import Module from 'node:module';
const log = ${JSON.stringify(path.join(folder, 'loaded.txt'))};
const hook = "import { appendFileSync } from 'node:fs'; export async function resolve(name, context, next) {" +
  "const found = await next(name, context); appendFileSync(" + JSON.stringify(log) + ", found.url + '\\\\n'); return found; }";
register('data:text/javascript,' + encodeURIComponent(hook));
const resolve = Module._resolveFilename;
Module._resolveFilename = function (...args) {
  const file = resolve.apply(this, args);
  appendFileSync(log, file + '\\n');
  return file;
};
const { getLlama } = await import('node-llama-cpp');
await import('@huggingface/jinja');
const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, progressLogs: false });
const model = await llama.loadModel({ modelPath: 'tiny.gguf', gpuLayers: 0 });
const context = await model.createContext({ contextSize: 512, threads: 1 });
for await (const token of context.getSequence().evaluate(model.tokenize('Hello'))) { void token; break; }
await llama.dispose();
process.exit(0);
`;

try {
  await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(path.join(folder, 'trace.js'), trace);
  await writeTinyModel(path.join(folder, 'tiny.gguf'), {});
  const here = `${scope}${process.platform === 'darwin' ? 'mac' : 'linux'}-${process.arch === 'arm64' ? 'arm64' : 'x64'}${process.platform === 'darwin' && process.arch === 'arm64' ? '-metal' : ''}`;
  const packages = [`node-llama-cpp@${version}`, `${here}@${version}`];
  execFileSync(
    'npm',
    ['install', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', ...packages],
    {
      cwd: folder,
      stdio: 'ignore',
    },
  );
  execFileSync(process.execPath, ['trace.js'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });

  const loaded = new Set(
    (await readFile(path.join(folder, 'loaded.txt'), 'utf8')).split('\n').flatMap((line) => {
      const inside = line.slice(line.indexOf('/node_modules/') + 1);
      return (
        inside.match(
          /^node_modules\/.*node_modules\/(?:@[^/]+\/)?[^/]+|^node_modules\/(?:@[^/]+\/)?[^/]+/,
        )?.[0] ?? []
      );
    }),
  );
  const lock = JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8')).packages;
  const manifest = JSON.parse(
    await readFile(path.join(folder, 'node_modules/node-llama-cpp/package.json'), 'utf8'),
  );

  const shared = [...loaded].filter((at) => !at.includes(scope)).sort();
  const platforms = Object.keys(manifest.optionalDependencies).sort();
  const rows = await inTurn(shared, (at) => pin(at.slice('node_modules/'.length), lock[at]));
  const platformRows = await inTurn(platforms, async (name) => pin(name, await manifestOf(name)));
  const lines = (pins) => pins.map((pin) => pin.join(' ')).join('\n');
  const text = `/**
 * The packages of the embedded runtime that every system needs, one a line: where it stands under node_modules, its
 * version, its sha512 in base64, the bytes of its archive. Written by scripts/pin-runtime.mjs; do not edit.
 */
export const SHARED_PINS = \`
${lines(rows)}
\`;

/** What holds llama.cpp itself, for one system each. */
export const PLATFORM_PINS = \`
${lines(platformRows)}
\`;
`;
  const out = path.join(root, 'src/embedded/runtime/runtime-pins.ts');
  await writeFile(out, text);
  // In a separate file: the version is needed at startup, the pins are not.
  await writeFile(
    path.join(root, 'src/embedded/runtime/runtime-version.ts'),
    `/** Written by scripts/pin-runtime.mjs together with the pins; do not edit. */\nexport const RUNTIME_VERSION = '${version}';\n`,
  );
  execFileSync(path.join(root, 'node_modules/.bin/biome'), ['format', '--write', out], { stdio: 'ignore' });
  const bytes = rows.reduce((sum, [, , , size]) => sum + size, 0);
  console.log(
    `${rows.length} packages, ${(bytes / 1e6).toFixed(1)} MB; ${platformRows.length} platform packages`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function pin(at, { version, integrity }) {
  const name = at.split('node_modules/').at(-1) ?? at;
  const archive = `${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
  const head = await fetch(`${registry}/${archive}`, { method: 'HEAD' });
  const sha512 = integrity.split(' ').find((part) => part.startsWith('sha512-'));
  if (!head.ok || !sha512) throw new Error(`${at}@${version} cannot be pinned.`);
  return [at, version, sha512.slice('sha512-'.length), Number(head.headers.get('content-length'))];
}

async function manifestOf(name) {
  const view = execFileSync('npm', ['view', `${name}@${version}`, 'dist', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { version, integrity: JSON.parse(view).integrity };
}

/** With limited concurrency, results in order. */
async function inTurn(list, work) {
  const done = [];
  for (let at = 0; at < list.length; at += 8) {
    done.push(...(await Promise.all(list.slice(at, at + 8).map(work))));
  }
  return done;
}
