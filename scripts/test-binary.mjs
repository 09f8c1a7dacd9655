// Runs the end-to-end tests against the standalone binary of this machine: node scripts/test-binary.mjs
// [VITEST ARGUMENT ...]
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { exe, here, targets } from './binary/targets.mjs';
import { root } from './bundle.mjs';

if (here === null) {
  console.error(`There is no binary for this machine. Available: ${Object.keys(targets).join(', ')}.`);
  process.exit(2);
}
const env = { ...process.env, ACA_UNDER_TEST: path.join(root, 'build', `aca-${here}${exe(targets[here])}`) };
for (const line of [
  ['scripts/build-binary.mjs'],
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'journeys',
    '--exclude',
    'test/soak/**',
    ...process.argv.slice(2),
  ],
]) {
  const { status } = spawnSync(process.execPath, line, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
