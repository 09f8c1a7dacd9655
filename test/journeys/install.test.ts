import { execFile } from 'node:child_process';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { entriesBelow } from '../../src/lib/files/files-below.ts';
import { cleanEnv, doors } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { binary } from '../support/program.ts';
import { serve } from '../support/serve.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const run = promisify(execFile);
const system = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const NAME = 'ai-code-assistant';
const LIMIT_MS = 240_000;

/** The packages as they are published. Nothing of them is in a registry. */
async function staged(space: Workspace): Promise<string> {
  const folder = path.join(space.home, 'staged');
  const target = binary ? ['--target', system, '--binaries', path.dirname(binary)] : ['--target', ''];
  await run(process.execPath, ['scripts/stage-packages.mjs', '--outdir', folder, ...target]);
  return folder;
}

async function packProgram(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent'], { cwd: path.join(folder, NAME) });
  return path.join(folder, NAME, stdout.trim());
}

/** As npm would, without the half minute it takes to compress a binary. */
async function packBinary(folder: string): Promise<string> {
  const file = path.join(folder, `${NAME}-${system}.tar`);
  await run('tar', ['-cf', file, '-C', folder, `${NAME}-${system}`]);
  return file;
}

async function filesIn(folder: string): Promise<string[]> {
  return entriesBelow(folder)
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** On a runtime that cannot become another program, one that looks so from outside. */
async function handingOver(space: Workspace): Promise<Record<string, string>> {
  if ('execve' in process) return {};
  const file = path.join(space.home, 'execve.cjs');
  await writeFile(
    file,
    `process.execve = (file, args, env) => process.exit(
      require('node:child_process').spawnSync(file, args.slice(1), { stdio: 'inherit', env }).status);`,
  );
  return { NODE_OPTIONS: `--require ${file}` };
}

test(
  '[D01] installed into an empty folder it runs, with the binary and without, and leaves nothing when it goes',
  async () => {
    const space = await workspace();
    const prefix = path.join(space.home, 'prefix');
    await mkdir(prefix);
    const npm = (...args: string[]) =>
      run('npm', [...args, '--global', '--prefix', prefix, '--no-audit', '--no-fund', '--prefer-offline']);
    const folder = await staged(space);
    const manifest = JSON.parse(await readFile(path.join(folder, NAME, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      repository: { type: 'git', url: expect.stringMatching(/^git\+https:/) },
      homepage: expect.stringMatching(/^https:/),
      bugs: { url: expect.stringMatching(/^https:/) },
      author: expect.any(String),
      man: ['man/aca.1'],
    });
    const packages = [await packProgram(folder), ...(binary ? [await packBinary(folder)] : [])];
    await npm('install', ...packages);
    const bin = process.platform === 'win32' ? prefix : path.join(prefix, 'bin');
    const aca = async (args: string[], env: Record<string, string> = {}) =>
      (await run(path.join(bin, 'aca'), args, { cwd: space.root, env: cleanEnv(space, env) })).stdout;

    if (process.platform !== 'win32') await access(path.join(prefix, 'share/man/man1/aca.1'));
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const plain = `${version} (node ${process.versions.node})\n`;
    const hands = await handingOver(space);
    expect(await aca(['--version'], { AI_ASSISTANT_BINARY: '0' })).toBe(plain);
    expect(await aca(['--version'], hands)).toBe(binary ? `${version} (binary, ${system})\n` : plain);

    for (const env of [{ AI_ASSISTANT_BINARY: '0' }, hands]) {
      const server = await serve([says('installed')]);
      const door = doors.anthropic(server.url);
      expect(await aca(['-p', 'hi', '--model', door.model], { ...door.env, ...env })).toBe('installed\n');
    }

    await npm('uninstall', NAME, ...(binary ? [`${NAME}-${system}`] : []));
    expect(await filesIn(prefix)).toEqual([]);
  },
  LIMIT_MS,
);

test(
  '[D01] installed beside a program of one’s own it can be imported, with types',
  async () => {
    const space = await workspace({ 'package.json': '{ "type": "module" }' });
    const tarball = await packProgram(await staged(space));
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
      cwd: space.root,
    });
    const names = await readdir(path.join(space.root, 'node_modules/.bin'));
    expect(names.filter((name) => /^(aca|ai-code-assistant)$/.test(name))).toEqual([
      'aca',
      'ai-code-assistant',
    ]);
    const script =
      "import { ok, UserError } from 'ai-code-assistant'; console.log(ok('x').output, new UserError('a', 'b').hint);";
    expect(
      (await run(process.execPath, ['--input-type=module', '-e', script], { cwd: space.root })).stdout,
    ).toBe('x b\n');
    const types = path.join(space.root, 'node_modules/ai-code-assistant/dist/types/index.d.ts');
    expect(await readFile(types, 'utf8')).toContain('ToolContext');
  },
  LIMIT_MS,
);
