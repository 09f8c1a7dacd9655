// Bundles src/ into dist/: a tiny entry, and chunks that load on first use.
// --quiet prints nothing on success; --types also writes the public type declarations.
import { execFileSync } from 'node:child_process';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { version, dependencies, optionalDependencies } = JSON.parse(
  await readFile(path.join(root, 'package.json'), 'utf8'),
);
const dist = path.join(root, 'dist');

await rm(dist, { recursive: true, force: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/cli/main.ts', index: 'src/index.ts' },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  chunkNames: 'chunks/[name]-[hash]',
  external: Object.keys({ ...dependencies, ...optionalDependencies }),
  define: { 'process.env.ACA_VERSION': JSON.stringify(version) },
  // Bundled CommonJS packages call require() for node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
});

const main = path.join(dist, 'main.js');
await writeFile(main, `#!/usr/bin/env node\n${await readFile(main, 'utf8')}`);
await chmod(main, 0o755);
await writeFile(
  path.join(dist, 'THIRD-PARTY-LICENSES.txt'),
  await licences(Object.keys(result.metafile.inputs)),
);
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
  const bytes = Object.values(result.metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  console.log(`dist/ ${(bytes / 1e6).toFixed(1)} MB in ${Object.keys(result.metafile.outputs).length} files`);
}

/** The licence text of every package whose code is in the bundle. */
async function licences(inputs) {
  const names = new Set(
    inputs.flatMap((input) => input.match(/^(node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []),
  );
  const texts = [];
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
