import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { lockFile } from '../../lib/files/lock.ts';
import { RUNTIME_VERSION } from './runtime-version.ts';

/** An installed runtime. `packages` are those of the platform. */
export type InstalledRuntime = { folder: string; packages: string[] };

/** Written last: a folder without it is incomplete. */
export const RUNTIME_MARK = 'installed.json';

export function runtimeFolder(dataRoot: string): string {
  return path.join(dataRoot, 'runtime', `node-llama-cpp-${RUNTIME_VERSION}`);
}

/** Null if there is none, or it is incomplete. */
export function installedRuntime(dataRoot: string): Promise<InstalledRuntime | null> {
  return runtimeIn(runtimeFolder(dataRoot));
}

export async function runtimeIn(folder: string): Promise<InstalledRuntime | null> {
  try {
    const { packages } = JSON.parse(await readFile(path.join(folder, RUNTIME_MARK), 'utf8'));
    return { folder, packages };
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Deletes the runtime, also of other versions, and what broken downloads of it left. Returns the deleted folder. */
export async function removeRuntime(dataRoot: string): Promise<string[]> {
  const folder = runtimeFolder(dataRoot);
  const all = path.dirname(folder);
  if (!existsSync(all)) throw new UserError('The runtime is not installed.', 'There is nothing to remove.');
  const lock = await lockFile(folder);
  if (!lock) {
    throw new UserError(
      'Another process is installing the runtime.',
      'Stop it first, or wait until it is done.',
    );
  }
  await rm(all, { recursive: true, force: true }).finally(() => lock.release());
  return [all];
}
