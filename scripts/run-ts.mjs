// Runs one TypeScript file on any supported Node: node scripts/run-ts.mjs FILE [ARG ...]
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const [file] = process.argv.splice(2, 1);
if (file === undefined) {
  console.error('Usage: node scripts/run-ts.mjs FILE [ARG ...]');
  process.exit(2);
}
const out = path.join(root, 'node_modules/.cache/run-ts', `${file.replaceAll(/[\\/.]/g, '-')}.mjs`);
await mkdir(path.dirname(out), { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: [file],
  outfile: out,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  logLevel: 'warning',
  sourcemap: 'inline',
});
process.argv[1] = out;
await import(pathToFileURL(out).href);
