import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { cleanEnv } from '../support/aca.ts';
import { binary } from '../support/program.ts';
import { workspace } from '../support/workspace.ts';

const run = promisify(execFile);

/** The program started by its own entry, and by the command that npm links, on a Node that says it is this one. */
async function startedOn(version: string, entry: 'main' | 'launcher') {
  const space = await workspace();
  const dist = path.resolve('dist');
  const launcher = path.join(space.home, 'package/bin/aca.cjs');
  await mkdir(path.dirname(launcher), { recursive: true });
  await copyFile('scripts/npm/launch.cjs', launcher);
  await symlink(dist, path.join(space.home, 'package/dist'), 'junction');
  const disguise = path.join(space.home, 'version.cjs');
  await writeFile(
    disguise,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  const file = entry === 'main' ? path.join(dist, 'main.cjs') : launcher;
  return await run(process.execPath, ['--require', disguise, file, '--version'], {
    cwd: space.root,
    env: cleanEnv(space, { AI_ASSISTANT_BINARY: '0' }),
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

test('programs that import the package get the same sentence', async ({ skip }) => {
  if (binary !== undefined) skip('the binary has no API');
  const space = await workspace();
  const disguise = path.join(space.home, 'version.cjs');
  await writeFile(
    disguise,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });",
  );
  const source = `import ${JSON.stringify(pathToFileURL(path.resolve('dist/index.js')).href)}`;
  const args = ['--require', disguise, '--input-type=module', '--eval', source];
  const { stderr } = await run(process.execPath, args, { env: cleanEnv(space, {}) }).catch((error) => error);
  expect(stderr).toContain('Error: aca needs Node 20.19 or newer; you have 18.20.\n');
  expect(stderr.length).toBeLessThan(2000);
});

describe.each(['main', 'launcher'] as const)('the version of Node is checked first: %s', (entry) => {
  beforeEach(({ skip }) => {
    if (binary !== undefined) skip('the binary needs no Node');
  });

  test.each([
    ['10.24.1', '10.24'],
    ['18.20.8', '18.20'],
    ['19.9.0', '19.9'],
    ['20.9.0', '20.9'],
    ['20.18.3', '20.18'],
  ])('%s is refused with exit code 2', async (version, shown) => {
    expect(await startedOn(version, entry)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `aca needs Node 20.19 or newer; you have ${shown}.\n` +
        'Install a current Node from https://nodejs.org, or the standalone binary, which needs no Node.\n',
    });
  });

  test.each(['20.19.0', '20.100.0', '21.0.0', '22.15.1', '100.0.0'])('%s is accepted', async (version) => {
    const own = JSON.parse(await readFile('package.json', 'utf8')).version;
    expect(await startedOn(version, entry)).toEqual({
      code: 0,
      stdout: `${own} (node ${version})\n`,
      stderr: '',
    });
  });
});
