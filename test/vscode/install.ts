import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** VS Code as a server, and the Node it needs: exactly these, from the registry. */
const CODE_SERVER = '4.139.1';
const NODE = '24.21.0';

export type Installed = { node: string; entry: string };

/**
 * A real VS Code, installed once into the cache of the repository (700 MB). `ACA_CODE_SERVER` names a folder that has it
 * already.
 */
export async function installCodeServer(): Promise<Installed> {
  const cache = path.resolve(process.env.ACA_CODE_SERVER ?? `node_modules/.cache/code-server-${CODE_SERVER}`);
  const runtime = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const installed = {
    node: path.join(cache, 'node_modules', runtime, 'bin/node'),
    entry: path.join(cache, 'node_modules/code-server/out/node/entry.js'),
  };
  const done = path.join(cache, 'installed');
  if (existsSync(done)) return installed;
  await rm(cache, { recursive: true, force: true });
  await install(cache, [`code-server@${CODE_SERVER}`, `${runtime}@${NODE}`]);
  await installWorkbench(
    path.join(cache, 'node_modules/code-server/lib/vscode'),
    path.join(cache, 'workbench'),
  );
  await writeFile(done, '');
  return installed;
}

async function install(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }');
  npm(folder, ['install', '--force', ...packages]);
}

/** Its packages come with a lock file, and would otherwise be installed by the scripts that we skip. */
async function installWorkbench(code: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of ['package.json', 'npm-shrinkwrap.json'])
    await writeFile(path.join(folder, name), await readFile(path.join(code, name)));
  npm(folder, ['install', '--omit=dev', '--force']);
  await rename(path.join(folder, 'node_modules'), path.join(code, 'node_modules'));
}

/** Without scripts: what they compile, the workbench does without. */
function npm(cwd: string, args: readonly string[]): void {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', [...args, ...flags], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}
