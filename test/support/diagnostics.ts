import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { type ServerScript, scriptedServer } from './language-server/scripted.ts';
import type { Workspace } from './workspace.ts';

/** The settings of a user with the scripted server for .demo files. */
export function demoServer(script: ServerScript = {}, more: object = {}): object {
  return {
    languageServers: {
      limitMs: 20_000,
      servers: {
        scripted: {
          command: scriptedServer,
          args: [JSON.stringify(script)],
          extensions: { '.demo': 'demo' },
          markers: ['demo.json'],
        },
      },
      ...more,
    },
  };
}

/** Gives the project this repository's TypeScript, as an installation would. */
export async function installTypeScript({ root }: Workspace): Promise<void> {
  const modules = path.join(root, 'node_modules');
  await mkdir(path.join(modules, '.bin'), { recursive: true });
  await symlink(path.resolve('node_modules/typescript'), path.join(modules, 'typescript'));
  await symlink(path.resolve('node_modules/typescript/bin/tsc'), path.join(modules, '.bin', 'tsc'));
}
