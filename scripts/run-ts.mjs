// Runs one TypeScript file on any supported Node: node scripts/run-ts.mjs FILE [ARG ...]
import path from 'node:path';
import { runnerImport } from 'vite';

const [file] = process.argv.splice(2, 1);
if (file === undefined) {
  console.error('Usage: node scripts/run-ts.mjs FILE [ARG ...]');
  process.exit(2);
}
await runnerImport(path.resolve(file), {
  configFile: false,
  logLevel: 'error',
  // The oldest supported Node does not support `await using`.
  oxc: { target: 'es2022' },
});
