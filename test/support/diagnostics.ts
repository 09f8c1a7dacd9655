import { copyFile, cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { type ServerScript, scriptedServer } from './language-server/scripted.ts';
import type { Workspace } from './workspace.ts';

const COMMAND = 'scripted-language-server.mjs';

/**
 * Installs the scripted server in the project, where the sandbox shows it wherever this repository lies, and returns the
 * settings of a user with that server for .demo files.
 */
export async function demoServer(
  { root }: Workspace,
  script: ServerScript = {},
  more: object = {},
): Promise<object> {
  const bin = path.join(root, 'node_modules', '.bin');
  await mkdir(bin, { recursive: true });
  await copyFile(scriptedServer, path.join(bin, COMMAND));
  return {
    languageServers: {
      limitMs: 20_000,
      servers: {
        scripted: {
          command: COMMAND,
          args: [JSON.stringify(script)],
          extensions: { '.demo': 'demo' },
          markers: ['demo.json'],
        },
      },
      ...more,
    },
  };
}

/** Gives the project a copy of this repository's TypeScript, as an installation would. */
export async function installTypeScript({ root }: Workspace): Promise<void> {
  const modules = path.join(root, 'node_modules');
  await mkdir(path.join(modules, '.bin'), { recursive: true });
  for (const name of ['typescript', '@typescript'])
    await cp(path.resolve('node_modules', name), path.join(modules, name), { recursive: true });
  await symlink('../typescript/bin/tsc', path.join(modules, '.bin', 'tsc'));
}
