// Runs the tests with other versions of Node, from the npm registry: node scripts/other-nodes.mjs [--node 24,26]
// The last one runs all of them, each other one the unit tests and the journeys that a runtime can break.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './bundle.mjs';

const { values } = parseArgs({ options: { node: { type: 'string', default: '24,26' } } });
const majors = values.node.split(',');
/** They start processes, read streams and folders, and open sockets. */
const JOURNEYS = [
  'headless',
  'permissions',
  'sessions',
  'keys',
  'undo',
  'tools-edit',
  'tools-search',
  'tui-input',
  'mcp-client',
  'batch',
].map((name) => `test/journeys/${name}.test.ts`);
const NOT_SOAK = ['--project', '!binary', '--tags-filter', 'not soak'];
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');

const folder = mkdtempSync(path.join(tmpdir(), 'aca-nodes-'));
try {
  for (const major of majors) {
    const prefix = path.join(folder, major);
    execFileSync('npm', [
      'install',
      '--prefix',
      prefix,
      '--no-audit',
      '--no-fund',
      '--no-save',
      `node@${major}`,
    ]);
    const bin = path.join(prefix, 'node_modules/node/bin');
    const node = path.join(bin, 'node');
    const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
    const run = (...args) =>
      execFileSync(node, [vitest, 'run', ...NOT_SOAK, ...args], { cwd: root, env, stdio: 'inherit' });
    console.log(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim());
    if (major === majors.at(-1)) run();
    else run('src/', ...JOURNEYS);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
