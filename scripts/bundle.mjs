// What every bundle of the program has in common: the JavaScript build and the standalone binary.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
export const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

/** @type {import('esbuild').BuildOptions} */
export const bundled = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
  define: { ACA_VERSION: JSON.stringify(version), 'process.env.NODE_ENV': '"production"' },
};

/** What the libraries look for beside the file they are called from; in node_modules. */
export const assets = [
  '@hyzyla/pdfium/dist/pdfium.wasm',
  'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash/tree-sitter-bash.wasm',
];

/** Runs a piece of the source now, so that the program need not at every start. */
export async function preparedConstants() {
  const outfile = path.join(root, 'node_modules/.cache/prepared.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/prepared.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
  const { prepared } = await import(pathToFileURL(outfile).href);
  return Object.fromEntries(Object.entries(prepared).map(([name, value]) => [name, JSON.stringify(value)]));
}
