// Bundles src/ into dist/: a tiny entry, and chunks that load on first use.
// --quiet prints nothing on success; --types also writes the public type declarations; --outdir DIR goes elsewhere.
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const outdir = process.argv.indexOf('--outdir');
const dist = path.resolve(root, outdir === -1 ? 'dist' : process.argv[outdir + 1]);

/** @type {import('esbuild').BuildOptions} */
const shared = {
  absWorkingDir: root,
  outdir: dist,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  define: { ACA_VERSION: JSON.stringify(version) },
};

/** Runs a piece of the source now, so that the program need not at every start. */
async function toolParameters() {
  const outfile = path.join(root, 'node_modules/.cache/tool-parameters.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/tool-parameters.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  return (await import(pathToFileURL(outfile).href)).toolParameters;
}

const app = build({
  ...shared,
  define: { ...shared.define, TOOL_PARAMETERS: JSON.stringify(await toolParameters()) },
  entryPoints: { app: 'src/cli/run.ts', index: 'src/index.ts' },
  splitting: true,
  format: 'esm',
  mainFields: ['module', 'main'],
  chunkNames: 'chunks/[name]-[hash]',
  // Packages that bring a binary; everything else is in the bundle.
  external: ['@vscode/ripgrep', '@napi-rs/keyring'],
  // Bundled CommonJS packages call require() for node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
});

// The entry is CommonJS and alone: it starts before the module loader does, and says the version without it.
const entry = build({
  ...shared,
  entryPoints: { main: 'src/cli/main.ts' },
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [
    {
      name: 'app-stays-outside',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/run\.ts$/ }, () => ({ path: './app.js', external: true })),
    },
  ],
});

const metafiles = (await Promise.all([app, entry])).map((result) => result.metafile);
const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
const outputs = Object.assign({}, ...metafiles.map((metafile) => metafile.outputs));

// What is left of an earlier build goes last, so that a program started meanwhile still finds its parts.
const written = new Set(Object.keys(outputs).map((file) => path.resolve(root, file)));
for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath, entry.name);
  if (entry.isFile() && file.endsWith('.js') && !written.has(file)) await rm(file);
}

await copyFile(
  path.join(root, 'node_modules/@hyzyla/pdfium/dist/pdfium.wasm'),
  path.join(dist, 'chunks/pdfium.wasm'),
);
await chmod(path.join(dist, 'main.cjs'), 0o755);
await writeFile(path.join(dist, 'THIRD-PARTY-LICENSES.txt'), await licences(inputs));
if (process.argv.includes('--types')) {
  execFileSync(
    process.execPath,
    [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
}
if (!process.argv.includes('--quiet')) {
  const sizes = Object.values(outputs).map((output) => output.bytes);
  console.log(
    `${(sizes.reduce((sum, bytes) => sum + bytes, 0) / 1e6).toFixed(1)} MB in ${sizes.length} files`,
  );
}

/** The licence text of every package whose code is in the bundle. */
async function licences(inputs) {
  const names = new Set(
    inputs.flatMap((input) => input.match(/^(node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []),
  );
  const texts = [await readFile(path.join(root, 'scripts/licences/pdfium.txt'), 'utf8')];
  for (const folder of [...names].sort()) {
    const manifest = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
    const text = await firstFile(folder, [
      'LICENSE',
      'LICENSE.md',
      'LICENSE.txt',
      'LICENCE',
      'license',
      'LICENSE-MIT',
    ]);
    texts.push(
      `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text ?? 'No licence file in the package.'}\n`,
    );
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function firstFile(folder, names) {
  for (const name of names) {
    const text = await readFile(path.join(root, folder, name), 'utf8').catch(() => null);
    if (text !== null) return text;
  }
  return null;
}
